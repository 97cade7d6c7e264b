from __future__ import annotations

from pathlib import Path

import pytest

from panelbench.errors import InputError
from panelbench.train.record import ExperimentRuns, Identity, RunRecord, load_runs

IDENTITY = Identity(
    panel_sha256="a",
    code_sha256="b",
    git_revision=None,
    versions={"python": "3.11"},
    threads=1,
    platform="Linux",
    cpu_count=2,
)


def make_runs() -> ExperimentRuns:
    common = IDENTITY.model_dump()
    good = RunRecord(
        **common, seed=0, status="ok", deterministic=False, seconds_fit=0.1, notes={"alpha": 1.5}
    )
    bad = RunRecord(
        **common, seed=1, status="failed", deterministic=False, error="Diverged: <b>", traceback="x"
    )
    return ExperimentRuns(
        experiment="rnn",
        label="RNN",
        model="rnn",
        settings={"hidden": 4, "filters": [3, 4]},
        runs=(good, bad),
    )


def test_when_runs_are_saved_then_the_same_runs_are_loaded(tmp_path: Path) -> None:
    runs = make_runs()
    runs.save(tmp_path / "runs.json")

    assert load_runs(tmp_path / "runs.json") == runs
    assert [run.seed for run in runs.finished] == [0]
    assert [run.seed for run in runs.failed] == [1]


def test_when_the_file_was_changed_by_hand_then_the_place_is_named(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    make_runs().save(path)
    path.write_text(path.read_text("utf-8").replace('"status": "ok"', '"status": "fine"'), "utf-8")

    with pytest.raises(InputError, match=r"runs\.0\.status"):
        load_runs(path)


def test_when_the_file_is_half_there_then_it_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    path.write_text('{"experiment": "rnn"', "utf-8")
    with pytest.raises(InputError, match="not valid JSON"):
        load_runs(path)
