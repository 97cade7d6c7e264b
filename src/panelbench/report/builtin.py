"""The built-in renderer: jupytext reads the .qmd, its cells run in this process, pandoc makes the HTML."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from panelbench import files
from panelbench.errors import PanelbenchError, RunFailure
from panelbench.report import cells

POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline' data:; base-uri 'none'; "
    "form-action 'none'\">"
)
"""Tells the browser what the page needs: pictures and styles that are inside it, no script, no network."""
_LABEL = re.compile(r"^#\|\s*label:\s*(\S+)", re.MULTILINE)


def name() -> str:
    """Return the renderer's name and versions, for the footer."""
    import pypandoc

    return f"the built-in renderer (jupytext {version('jupytext')}, pandoc {pypandoc.get_pandoc_version()})"


def render(document: Path, output: Path, metadata: Mapping[str, str], environment: Mapping[str, str]) -> None:
    """Run the document's cells and write one HTML file that needs nothing beside it.

    Parameters
    ----------
    document
        The .qmd; its folder is where cells run and where pictures are looked for.
    output
        The HTML file, replaced in one step at the end.
    metadata
        Document metadata such as the title, over the front matter's.
    environment
        Environment of the cells.

    Raises
    ------
    RunFailure
        If a cell fails (named in the message) or pandoc does.
    """
    import jupytext

    notebook = jupytext.reads(document.read_text("utf-8"), fmt="Rmd")
    execute(notebook, document, environment)
    with files.replacing(output) as temporary:
        to_html(flatten(notebook), document.parent, temporary, metadata)


def execute(notebook: Any, document: Path, environment: Mapping[str, str]) -> None:
    """Run all code cells in place, in the document's folder.

    Raises
    ------
    PanelbenchError
        What a cell says of the user's files, as it is.
    RunFailure
        If a cell fails otherwise; names the document and the cell.
    """
    found = code_cells(notebook)
    try:
        shown = cells.run([cell.source for cell in found], document.parent, environment)
    except cells.CellError as stop:
        error = stop.__cause__
        if isinstance(error, PanelbenchError):
            raise error from None
        place = f"The report's cell '{label(found[stop.number]) or stop.number + 1}' in {document.name}"
        raise RunFailure(f"{place} failed: {type(error).__name__}: {error}") from error
    for cell, outputs in zip(found, shown, strict=True):
        cell["outputs"] = [{"output_type": "display_data", "data": data} for data in outputs]


def code_cells(notebook: Any) -> list[Any]:
    """Return the notebook's code cells in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def label(cell: Any) -> str | None:
    """Return a cell's label (its `#| label:` line), or None."""
    found = _LABEL.search(cell.source)
    return found.group(1) if found else None


def flatten(notebook: Any) -> str:
    """Return the executed notebook as one Markdown text: what cells showed, without their code.

    Raises
    ------
    RunFailure
        If a cell shows anything but Markdown: HTML from a library would bring remote scripts along.
    """
    parts = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            parts.append(cell.source)
            continue
        for output in cell.get("outputs", ()):
            shown = output.get("data", {})
            if "text/markdown" in shown:
                parts.append(shown["text/markdown"])
            elif output["output_type"] in {"display_data", "execute_result"}:
                raise RunFailure(
                    f"The report's cell '{label(cell)}' shows {', '.join(sorted(shown))}; "
                    "cells of the report show Markdown only."
                )
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def command(output: Path, metadata: Mapping[str, str]) -> list[str]:
    """Return the pandoc command that reads Markdown from standard input, run in the document's folder."""
    import pypandoc

    return [
        pypandoc.get_pandoc_path(),
        "--from=markdown",
        "--to=html5",
        "--standalone",
        "--embed-resources",
        "--mathml",
        "--toc",
        "--toc-depth=2",
        "--css=theme.css",
        f"--variable=header-includes:{POLICY}",
        "--columns=100000",
        f"--output={output}",
        *[f"--metadata={key}:{value}" for key, value in metadata.items()],
    ]


def to_html(markdown: str, folder: Path, output: Path, metadata: Mapping[str, str]) -> None:
    """Turn Markdown into one HTML file with pictures and styles inside it.

    Raises
    ------
    RunFailure
        If pandoc fails, or does not find a picture or a style.
    """
    done = subprocess.run(  # noqa: S603 - our own command, no shell
        command(output.resolve(), metadata),
        input=markdown,
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise RunFailure(
            f"pandoc could not make the report (exit code {done.returncode}): {done.stderr.strip()}"
        )
    missing = [line for line in done.stderr.splitlines() if "Could not fetch resource" in line]
    if missing:
        raise RunFailure(f"pandoc could not find a part of the report: {missing[0].strip()}")
