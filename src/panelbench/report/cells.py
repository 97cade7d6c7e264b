"""Run a document's code cells in this process and collect what they show.

No kernel is started: it would import everything a second time, and Ctrl-C would reach it before the program
that waits for it. What a cell prints is dropped, as the document asks (`output: asis` is about Markdown).
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Shown = list[dict[str, Any]]
"""What one cell showed, in order: each a mapping from kind (such as "text/markdown") to content."""


class CellError(Exception):
    """A cell raised the error that this one comes from.

    Attributes
    ----------
    number
        Position of the cell, from 0.
    """

    def __init__(self, number: int) -> None:
        self.number = number


def run(sources: Sequence[str], folder: Path, environment: Mapping[str, str]) -> list[Shown]:
    """Run the cells in order in one namespace, as a notebook would; return what each of them showed.

    Parameters
    ----------
    sources
        Python code, one text a cell. Lines of options (`#| ...`) are comments.
    folder
        The current folder while cells run.
    environment
        The environment while cells run.

    Raises
    ------
    CellError
        From the error that a cell raised; the cells after it do not run. Ctrl-C comes through as it is.
    """
    cells: list[Shown] = []

    def take(shown: dict[str, Any]) -> None:
        cells[-1].append(shown)

    with _place(folder, environment), _quiet(), _showing(take) as display:
        space: dict[str, Any] = {"__name__": "__main__", "display": display}
        for number, source in enumerate(sources):
            cells.append([])
            try:
                _execute(source, f"<cell {number + 1}>", space)
            except Exception as error:
                raise CellError(number) from error
    return cells


def _execute(source: str, name: str, space: dict[str, Any]) -> None:
    """Run one cell; the value of an expression at its end is shown."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    code = compile(tree, name, "exec")
    exec(code, space)  # nosec B102 # noqa: S102 - the repository's own document
    if last is not None:
        code = compile(ast.Interactive([last]), name, "single")
        exec(code, space)  # nosec B102 # noqa: S102


@contextlib.contextmanager
def _showing(take: Callable[[dict[str, Any]], None]) -> Iterator[Callable[..., None]]:
    """Collect what `IPython.display.display` and values at the end of a cell show, in IPython's own forms."""
    import IPython.display
    from IPython.core import display_functions
    from IPython.core.formatters import DisplayFormatter

    form = DisplayFormatter().format

    def display(*values: Any, raw: bool = False, **_: Any) -> None:
        for value in values:
            take(dict(value) if raw else form(value)[0])  # type: ignore[no-untyped-call]

    def at_the_end(value: object) -> None:
        if value is not None:
            display(value)

    places: list[tuple[Any, str, Any]] = [
        (IPython.display, "display", display),
        (display_functions, "display", display),
        (sys, "displayhook", at_the_end),
    ]
    before = [getattr(owner, name) for owner, name, _ in places]
    try:
        for owner, name, new in places:
            setattr(owner, name, new)
        yield display
    finally:
        for (owner, name, _), old in zip(places, before, strict=True):
            setattr(owner, name, old)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Drop what cells print and warn of, and leave the warnings' filters as they were."""
    dropped = io.StringIO()
    with (
        contextlib.redirect_stdout(dropped),
        contextlib.redirect_stderr(dropped),
        warnings.catch_warnings(),
    ):
        yield


@contextlib.contextmanager
def _place(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Be in a folder with an environment, and come back to the old ones."""
    before = dict(os.environ)
    with contextlib.chdir(folder):
        try:
            os.environ.clear()
            os.environ.update(environment)
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
