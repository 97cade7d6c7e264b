"""Cells of a document run in this process and leave no trace in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from panelbench.report import cells

SHOW = "from IPython.display import Markdown, display\n"


def run(*sources: str, folder: Path) -> list[list[str]]:
    shown = cells.run(sources, folder, {**os.environ, "GREETING": "hello"})
    return [[one.get("text/markdown", "|".join(sorted(one))) for one in cell] for cell in shown]


def test_when_cells_show_something_then_each_keeps_its_own(tmp_path: Path) -> None:
    sources = [
        f"{SHOW}display(Markdown('one'))\nx = 'two'",
        "display(Markdown(x)); Markdown('three')",
        "display({'text/markdown': 'four'}, raw=True)\nNone",
        "print('noise')",
        "1",
    ]
    assert run(*sources, folder=tmp_path) == [["one"], ["two", "three"], ["four"], [], ["text/plain"]]


def test_when_cells_have_run_then_this_process_is_as_before(tmp_path: Path) -> None:
    before = (Path.cwd(), dict(os.environ), sys.displayhook, sys.stdout)
    place = "import os\ndisplay(dict(text=os.getcwd() + os.environ.pop('GREETING')), raw=True)"
    found = cells.run([place, "os.environ['LEFT'] = 'x'"], tmp_path, {**os.environ, "GREETING": "hello"})
    assert found[0] == [{"text": f"{tmp_path}hello"}]
    with pytest.raises(cells.CellError):
        cells.run(["import os\nos.chdir('/')\n1 / 0"], tmp_path, {})
    assert (Path.cwd(), dict(os.environ), sys.displayhook, sys.stdout) == before


def test_when_a_cell_fails_then_it_is_numbered_and_the_rest_stays_out(tmp_path: Path) -> None:
    left = tmp_path / "ran"
    with pytest.raises(cells.CellError) as caught:
        cells.run(["x = 1", "x.missing", f"open({str(left)!r}, 'w')"], tmp_path, os.environ)
    assert caught.value.number == 1
    assert isinstance(caught.value.__cause__, AttributeError)
    assert not left.exists()


def test_when_a_cell_is_interrupted_then_the_interruption_comes_through(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        cells.run(["import signal; signal.raise_signal(signal.SIGINT)"], tmp_path, os.environ)
