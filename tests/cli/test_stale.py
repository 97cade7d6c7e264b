"""Old results are taken away only when DVC can bring them back."""

from __future__ import annotations

from pathlib import Path

import pytest

from panelbench.cli.stale import remove_stale_runs

LOCK = "schema: '2.0'\nstages:\n  train@rnn:\n    cmd: x\n  train@old:\n    cmd: x\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("rnn", "old", "by_hand", ".rnn.unfinished"):
        (tmp_path / "data/runs" / name).mkdir(parents=True)
        (tmp_path / "data/runs" / name / "runs.json").write_text("{}")
    (tmp_path / "dvc.lock").write_text(LOCK)
    return tmp_path


def left(root: Path) -> set[str]:
    return {folder.name for folder in (root / "data/runs").iterdir()}


def test_when_an_experiment_is_no_longer_declared_then_its_cached_results_go(root: Path) -> None:
    assert remove_stale_runs({"rnn"}, root) == ["old"]
    assert left(root) == {"rnn", "by_hand", ".rnn.unfinished"}


def test_when_all_are_declared_then_nothing_goes(root: Path) -> None:
    assert remove_stale_runs({"rnn", "old"}, root) == []


@pytest.mark.parametrize("lock", [None, "", "stages: {", "stages: 3\n", "other: 1\n"])
def test_when_the_lock_file_says_nothing_then_nothing_goes(root: Path, lock: str | None) -> None:
    (root / "dvc.lock").unlink() if lock is None else (root / "dvc.lock").write_text(lock)
    assert remove_stale_runs(set(), root) == []
    assert left(root) >= {"rnn", "old"}


def test_when_nothing_ran_yet_then_nothing_goes(tmp_path: Path) -> None:
    assert remove_stale_runs({"rnn"}, tmp_path) == []
