"""Render a document such as reports/benchmark.qmd to one HTML file, with Quarto or the built-in renderer."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from panelbench.config import Settings
from panelbench.errors import InputError
from panelbench.report import builtin, page, quarto, words
from panelbench.report.load import load_report_data
from panelbench.report.section import FIGURES

DOCUMENT = "benchmark.qmd"
OUTPUT = "benchmark.html"
THEME = "theme.css"


@dataclass(frozen=True)
class RenderResult:
    """What was made.

    Attributes
    ----------
    path
        The HTML file.
    renderer
        "quarto" or "builtin".
    version
        The renderer with its versions, as in the footer.
    n_bytes
        Size of the file.
    seconds
        Wall time.
    """

    path: Path
    renderer: Literal["quarto", "builtin"]
    version: str
    n_bytes: int
    seconds: float


def render(settings: Settings, root: Path = Path()) -> RenderResult:
    """Render the report.

    Parameters
    ----------
    settings
        params.yaml, which the document's cells read again from `root`.
    root
        The repository's root, with `reports/benchmark.qmd`, `reports/theme.css` and the outputs of the
        stages before.

    Raises
    ------
    InputError
        If an input is missing, or Quarto is demanded and absent.
    RunFailure
        If a cell or the renderer fails; the previous report then stays.
    """
    root = root.resolve()
    reports = root / "reports"
    must_be_there(root, reports / DOCUMENT, reports / THEME)
    page.keep(load_report_data(settings, root))  # what is missing is said here, before anything is drawn
    try:
        return render_document(
            reports / DOCUMENT,
            reports / OUTPUT,
            settings.report.renderer,
            settings.report.title,
            {page.ROOT: str(root)},
        )
    finally:
        page.forget()


def render_document(
    document: Path,
    output: Path,
    renderer: Literal["auto", "quarto", "builtin"],
    title: str,
    environment: Mapping[str, str],
    figures: str = FIGURES,
) -> RenderResult:
    """Render any document that lies beside theme.css, with the same look and the same choice of renderer.

    Parameters
    ----------
    document
        The .qmd. Its cells run in its own folder and show Markdown only.
    output
        The HTML file, replaced in one step at the end.
    renderer
        auto: Quarto where it is on PATH, else the built-in one.
    title
        Plain text.
    environment
        What the cells find in their environment besides this process's own.
    figures
        Folder of the document's pictures, relative to it; those of the last time are removed first.

    Raises
    ------
    InputError
        If Quarto is demanded and absent.
    RunFailure
        If a cell or the renderer fails; the previous file then stays.
    """
    started = time.perf_counter()
    program = quarto.demand() if renderer == "quarto" else quarto.find() if renderer == "auto" else None
    clear_figures(document.parent / figures)
    named = f"Quarto {quarto.version(program)}" if program else builtin.name()
    around = {**os.environ, **environment, page.RENDERER: named}
    if program:
        quarto.render(program, document, output, metadata(title), around)
    else:
        builtin.render(document, output, metadata(title), around)
    return RenderResult(
        path=output,
        renderer="quarto" if program else "builtin",
        version=named,
        n_bytes=output.stat().st_size,
        seconds=time.perf_counter() - started,
    )


def must_be_there(root: Path, *files: Path) -> None:
    """Refuse to start without files that are part of the repository.

    Raises
    ------
    InputError
        Naming the first that is missing and how to get it back.
    """
    for needed in files:
        if not needed.is_file():
            raise InputError(
                f"{needed} is not there. It is part of the repository: `git checkout "
                f"{needed.relative_to(root)}`."
            )


def metadata(title: str) -> dict[str, str]:
    """Return a document's metadata; both renderers take them as text, not as Markdown."""
    title = words.printable(title)
    return {"title": title, "pagetitle": title}


def clear_figures(folder: Path) -> None:
    """Remove the figures of the last report, so that one which no longer applies does not stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.svg"):
        path.unlink()
