"""What the cells of probes.qmd call, and the command that renders it."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from panelbench.config.strict import parse
from panelbench.probes import results
from panelbench.probes.page import summary
from panelbench.probes.settings import PROBES
from panelbench.report import words
from panelbench.report.page import RENDERER, ROOT, emit, footer
from panelbench.report.render import THEME, RenderResult, must_be_there, render_document
from panelbench.report.section import Section

DOCUMENT = "probes.qmd"
OUTPUT = "probes.html"
TITLE = "What is said of these models, probed"


class Page:
    """The page while it is being rendered.

    Attributes
    ----------
    root
        The repository's root.
    folder
        Folder of the document, below which pictures are written.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder

    def opening(self) -> None:
        """Show what the page is."""
        machines = {
            tuple(sorted(results.read(name, self.root / results.FOLDER).machine.items())) for name in PROBES
        }
        first = dict(min(machines))
        emit(
            "Small experiments on made-up data, each asking one thing that is taught about these models. "
            "Every sentence in bold is computed from the stored results; what is taught stands beside it. "
            "A small experiment can contradict a rule as it is worded; it does not settle it.\n\nMeasured "
            f"on: {words.escape(first['processor'])}, {words.escape(first['system'])}, torch "
            f"{words.escape(first['torch'])}."
        )

    def show(self, name: str) -> None:
        """Show one probe's section."""
        section = self.section(name)
        section.write(self.folder)
        emit(section.to_markdown())

    def section(self, name: str) -> Section:
        """Return one probe's section."""
        found = results.read(name, self.root / results.FOLDER)
        settings = parse(PROBES[name], found.settings, "settings", str(results.FOLDER / f"{name}.json"))
        module: Any = import_module(f"panelbench.probes.page.{name}")
        made: Section = module.build(found, settings)
        return made

    def footer(self) -> None:
        """Show who rendered the page."""
        emit(footer(os.environ.get(RENDERER, "Quarto")))


def open_page() -> Page:
    """Return the page of the folder that the document is in."""
    folder = Path.cwd()
    return Page(Path(os.environ.get(ROOT) or folder.parent), folder)


def render(root: Path = Path(), renderer: Literal["auto", "quarto", "builtin"] = "auto") -> RenderResult:
    """Render reports/probes.qmd to reports/probes.html.

    Raises
    ------
    InputError
        If a probe has not run, or Quarto is demanded and absent.
    RunFailure
        If a cell or the renderer fails; the previous page then stays.
    """
    root = root.resolve()
    reports = root / "reports"
    must_be_there(root, reports / DOCUMENT, reports / THEME)
    for name in PROBES:
        results.read(name, root / results.FOLDER)
    return render_document(
        reports / DOCUMENT, reports / OUTPUT, renderer, TITLE, {ROOT: str(root)}, summary.FIGURES
    )
