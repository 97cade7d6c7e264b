"""Render reports/benchmark.qmd to reports/benchmark.html, with Quarto or with the built-in renderer."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from panelbench.config import Settings
from panelbench.errors import InputError
from panelbench.report import builtin, page, quarto, words
from panelbench.report.data import load_report_data

DOCUMENT = "benchmark.qmd"
OUTPUT = "benchmark.html"


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
    started = time.perf_counter()
    root = root.resolve()
    document = root / "reports" / DOCUMENT
    output = root / "reports" / OUTPUT
    for needed in (document, document.parent / "theme.css"):
        if not needed.is_file():
            raise InputError(
                f"{needed} is not there. It is part of the repository: `git checkout "
                f"{needed.relative_to(root)}`."
            )
    program = quarto.demand() if settings.report.renderer == "quarto" else quarto.find()
    if settings.report.renderer == "builtin":
        program = None
    load_report_data(settings, root)  # what is missing is said here, in one paragraph, before a kernel starts
    clear_figures(document.parent / "figures")
    named = f"Quarto {quarto.version(program)}" if program else builtin.name()
    environment = {**os.environ, page.ROOT: str(root), page.RENDERER: named}
    if program:
        quarto.render(program, document, output, metadata(settings), environment)
    else:
        builtin.render(document, output, metadata(settings), environment)
    return RenderResult(
        path=output,
        renderer="quarto" if program else "builtin",
        version=named,
        n_bytes=output.stat().st_size,
        seconds=time.perf_counter() - started,
    )


def metadata(settings: Settings) -> dict[str, str]:
    """Return the document's metadata; both renderers take them as text, not as Markdown."""
    title = words.printable(settings.report.title)
    return {"title": title, "pagetitle": title}


def clear_figures(folder: Path) -> None:
    """Remove the figures of the last report, so that one which no longer applies does not stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.svg"):
        path.unlink()
