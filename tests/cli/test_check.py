"""The last stage is green only when every run finished and the audit passed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from panelbench.cli.check import check
from panelbench.config import Settings
from panelbench.errors import InputError, RunFailure
from panelbench.files import write_json


def settings(*names: str) -> Settings:
    return Settings(panel={}, seeds=(0, 1), experiments={name: {"model": "rnn"} for name in names})


def run(seed: int, error: str | None = None) -> dict[str, Any]:
    return {
        "seed": seed,
        "status": "failed" if error else "ok",
        "error": error,
        "deterministic": False,
        "panel_sha256": "a" * 64,
        "code_sha256": "c" * 64,
        "git_revision": None,
        "versions": {},
        "threads": 1,
        "platform": "Linux",
        "cpu_count": 2,
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_audit(tmp_path, True)
    write_runs(tmp_path, "rnn", run(0), run(1))
    return tmp_path


def write_runs(root: Path, name: str, *runs: dict[str, Any]) -> None:
    content = {"experiment": name, "label": name, "model": "rnn", "settings": {}, "runs": list(runs)}
    write_json(root / "data/runs" / name / "runs.json", content)


def write_audit(root: Path, passed: bool) -> None:
    checks = [
        {"id": "a", "title": "Scaler", "passed": True, "detail": "nothing moved"},
        {"id": "b", "title": "Rolling mean", "passed": passed, "detail": "12 rows moved"},
    ]
    write_json(root / "reports/audit.json", {"passed": passed, "checks": checks})


def test_when_all_runs_finished_then_it_says_how_many(root: Path) -> None:
    line = check(settings("rnn"), root)
    assert "All 2 runs of 1 experiment finished" in line
    assert "audit passed (2 checks)" in line
    assert "reports/benchmark.html" in line


def test_when_a_seed_failed_then_seed_reason_and_remedy_are_named(root: Path) -> None:
    write_runs(root, "lstm", run(0), run(1, "ValueError: loss is not finite"))
    with pytest.raises(RunFailure) as raised:
        check(settings("rnn", "lstm"), root)
    message = str(raised.value)
    assert "lstm: 1 of 2 runs failed (seed 1: ValueError: loss is not finite)" in message
    assert "dvc repro -s -f train@lstm" in message
    assert "rnn:" not in message


def test_when_an_undeclared_experiment_failed_then_it_does_not_count(root: Path) -> None:
    write_runs(root, "old", run(0, "broken"))
    assert "1 experiment finished" in check(settings("rnn"), root)


def test_when_an_experiment_has_no_runs_then_it_is_no_success(root: Path) -> None:
    write_runs(root, "rnn")
    with pytest.raises(RunFailure, match="rnn: no run is recorded"):
        check(settings("rnn"), root)


def test_when_an_experiment_was_never_trained_then_the_missing_file_is_named(root: Path) -> None:
    with pytest.raises(InputError, match=r"cnn/runs\.json is not there"):
        check(settings("rnn", "cnn"), root)


def test_when_the_audit_failed_then_the_failed_check_is_named(root: Path) -> None:
    write_audit(root, False)
    with pytest.raises(RunFailure, match=r"Rolling mean \(12 rows moved\)"):
        check(settings("rnn"), root)


def test_when_many_experiments_failed_then_the_message_stays_one_paragraph(root: Path) -> None:
    names = [f"rnn_{number}" for number in range(40)]
    for name in names:
        write_runs(root, name, run(0, "broken"))
    with pytest.raises(RunFailure) as raised:
        check(settings(*names), root)
    assert "and 35 more experiments" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "content",
    ["3", "null", "[]", "{}", '{"passed": true}', '{"passed": true, "checks": [{"title": "x"}]}',
     '{"passed": 3, "checks": []}', '{"passed": true, "checks": []}', '{"passed": tr'],
)  # fmt: skip
def test_when_the_audit_s_file_is_damaged_then_file_and_remedy_are_named(root: Path, content: str) -> None:
    (root / "reports/audit.json").write_text(content)
    with pytest.raises(InputError, match=r"audit\.json .*`dvc repro") as raised:
        check(settings("rnn"), root)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", ["3", "[]", "{}", '{"runs": 3}', '{"runs": [{"seed": 0}]}', "{"])
def test_when_a_file_of_runs_is_damaged_then_file_and_remedy_are_named(root: Path, content: str) -> None:
    (root / "data/runs/rnn/runs.json").write_text(content)
    with pytest.raises(InputError, match=r"rnn/runs\.json .*`dvc repro") as raised:
        check(settings("rnn"), root)
    assert "\n" not in str(raised.value)
