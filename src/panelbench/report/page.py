"""What the cells of benchmark.qmd call: open the report's data once, show one section a cell."""

from __future__ import annotations

import os
from pathlib import Path

from panelbench import __version__
from panelbench.config import load
from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.load import load_report_data
from panelbench.report.sections import SECTIONS

RENDERER = "PANELBENCH_RENDERER"
"""Environment variable in which a renderer leaves its name and version for the footer."""

ROOT = "PANELBENCH_ROOT"
"""Environment variable with the repository's root; without it, the folder above the document's."""


class Page:
    """The report while it is being rendered.

    Attributes
    ----------
    data
        The material of all sections.
    folder
        Folder of the document, below which figures are written.
    """

    def __init__(self, data: ReportData, folder: Path) -> None:
        self.data = data
        self.folder = folder

    def show(self, name: str) -> None:
        """Show one section by its name in `SECTIONS`; one that does not apply shows nothing."""
        markdown = self.markdown(name)
        if markdown:
            emit(markdown)

    def markdown(self, name: str) -> str:
        """Write one section's figures and return its Markdown; empty where the section does not apply."""
        section = SECTIONS[name](self.data)
        if section is None:
            return ""
        section.write(self.folder)
        return section.to_markdown()

    def footer(self) -> None:
        """Show who rendered the page."""
        emit(footer(os.environ.get(RENDERER) or _unnamed_renderer()))


def footer(renderer: str) -> str:
    """Return the page's last lines as Markdown."""
    return (
        f"::: {{.footer}}\n\nMade by panelbench {words.escape(__version__)}, rendered by "
        f"{words.escape(renderer)}. "
        "Every result and figure on this page is computed from stored runs; none is typed in.\n\n:::\n"
    )


_kept: list[ReportData] = []


def keep(data: ReportData) -> None:
    """Let the next `open_page` of the same root in this process use what has been read already."""
    _kept[:] = [data]


def forget() -> None:
    """Take back what `keep` offered."""
    _kept.clear()


def open_page() -> Page:
    """Read params.yaml and everything the report shows, unless this process has done so just before.

    Raises
    ------
    InputError
        If a stage before the report has not run.
    """
    folder = Path.cwd()
    root = Path(os.environ.get(ROOT) or folder.parent)
    for data in _kept:
        if data.root == root:
            return Page(data, folder)
    return Page(load_report_data(load(root / "params.yaml"), root), folder)


def emit(markdown: str) -> None:
    """Put Markdown into the document."""
    from IPython.display import display

    # As data and not as `Markdown(text)`, which would read a file where the text happens to name one.
    display({"text/markdown": markdown}, raw=True)  # type: ignore[no-untyped-call]


def _unnamed_renderer() -> str:
    return "Quarto" if any(name.startswith("QUARTO_") for name in os.environ) else "Jupyter"
