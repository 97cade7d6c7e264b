"""Every bad input of the corpus ends in one clear error, and nothing is written."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.bad_inputs import corpus
from tests.bad_inputs.case import PANEL, Case, faults, judge, run
from tests.bad_inputs.tables import HEADER, Rows, column, rows, text

PROCESSES = ("csv: Latin-1", "yaml: an alias bomb", "name: a command", "m5: upwards", "yaml: absent")
ACCENTED = "caf\u00e9"


@pytest.mark.parametrize("case", corpus.CASES, ids=lambda case: case.name)
def test_when_an_input_is_bad_then_one_paragraph_says_what_where_and_the_remedy(
    case: Case, tmp_path: Path
) -> None:
    outcome, found = judge(case, tmp_path)
    assert not found, outcome.error


def test_when_cases_are_listed_then_each_has_its_own_name() -> None:
    assert len(corpus.CASES) >= 60
    assert not [name for name, count in Counter(case.name for case in corpus.CASES).items() if count > 1]


@pytest.mark.parametrize("name", PROCESSES)
def test_when_it_is_a_process_of_its_own_then_the_error_is_the_same(name: str, tmp_path: Path) -> None:
    case = next(one for one in corpus.CASES if one.name.endswith(name))
    outcome = run(case, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "panelbench", outcome.stage],
        cwd=tmp_path / "project", capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (2, "", outcome.error)


def _padded() -> str:
    table: Rows = [[f" {value}\t" for value in row] for row in rows()]
    return text(table, [f" {name} " for name in HEADER])


@pytest.mark.parametrize(
    ("content", "panel"),
    [
        (text(rows()), {}),
        ("\ufeff" + text(rows(), end="\r\n"), {}),
        (text(rows(), end="\r"), {}),
        (_padded(), {}),
        (column("shop", *["007"] * 12, *["7"] * 12), {}),
        (column("shop", *["N"] * 12, *["n"] * 12), {}),
        (column("shop", *[ACCENTED] * 12, *["Z\u00fcrich"] * 12), {}),
        (text([[*row[:3], "-1e-4", *row[4:]] for row in rows()]), {}),
        (text([[*row[:3], "1e12", *row[4:]] for row in rows()]), {}),
        (column("region", "=x"), {}),
        (text(rows()[:6]), {"id": []}),
        (text([[*row[:3], "0", *row[4:]] for row in rows()]), {}),
        (text(rows()).replace("sold", "me\u0301nge"), {"target": "m\u00e9nge"}),
    ],
    ids=[
        *("right", "mark and windows ends", "old mac ends", "blanks around", "leading zeros", "capitals"),
        *("accents", "tiny", "huge", "static begins with =", "one series", "all zero", "accent in a column"),
    ],
)  # fmt: skip
def test_when_an_input_is_odd_but_right_then_it_is_taken(content: str, panel: dict, tmp_path: Path) -> None:
    params = {"panel": {**PANEL, **panel}}
    case = Case("right", "", "", "", "", params, {str(PANEL["path"]): content})
    outcome = run(case, tmp_path)
    assert (outcome.code, outcome.error) == (0, "")
    assert (tmp_path / "project/data/panel.parquet").exists()


def test_when_an_error_is_not_clear_then_the_corpus_notices(tmp_path: Path) -> None:
    right = Case("right", "no.csv", "line 7", "x", "y", {}, {str(PANEL["path"]): text(rows())})
    found = " ".join(faults(right, run(right, tmp_path), tmp_path))
    for word in ("exit code 0", "not one paragraph", "name the file", "the remedy", "wrote panel.parquet"):
        assert word in found
