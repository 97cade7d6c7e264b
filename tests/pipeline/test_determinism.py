"""The same numbers from another clone, and nothing trained anew that an edit cannot have changed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.helpers.project import Project
from tests.pipeline.test_repro import digests

pytestmark = pytest.mark.pipeline

RUNS = ("data/runs/*/predictions.parquet", "data/runs/*/history.csv", "data/runs/*/attention.npz")
TABLES = ("metrics.json", "scores.csv", "leaderboard.csv", "by_series.csv", "by_period.csv", "audit.json")


def test_when_two_clones_run_then_runs_metrics_and_the_report_are_the_same(
    project: Project, tmp_path: Path
) -> None:
    other = project.clone_to(tmp_path / "clone")
    other.repro("compare")
    same = ("data/panel.parquet", *RUNS, *(f"reports/{name}" for name in TABLES))
    assert digests(other.folder, *same) == digests(project.folder, *same)

    # Seconds, memory and revisions differ, and the report states them; with equal ones it must be equal.
    for record in project.folder.glob("data/runs/*/runs.json"):
        shutil.copyfile(record, other.folder / record.relative_to(project.folder))
    for stage in ("compare", "report"):
        other.run("panelbench", stage)
    pages = [one.folder / "reports/benchmark.html" for one in (project, other)]
    first, second = (page.read_text("utf-8") for page in pages)
    assert first == second


def test_when_a_model_s_code_is_edited_then_only_its_experiments_are_trained_again(project: Project) -> None:
    module = project.folder / "src/panelbench/models/recurrent.py"
    before = module.read_text()
    try:
        module.write_text(before + "\nADDED = 1\n")
        stages, output = project.repro("--single-item", "train@cnn", "train@lstm", "train@lasso")
        assert sorted(stages) == ["train@cnn", "train@lasso", "train@lstm"]
        assert told(output) == {"cnn": {"taken"}, "lasso": {"taken"}, "lstm": {"fitted"}}

        module.write_text("# a remark\n" + before + "\nADDED = 1\n")
        output = project.repro("--single-item", "train@lstm")[1]
        assert told(output) == {"lstm": {"taken"}}
    finally:
        module.write_text(before)
        project.repro()  # the other tests start from what this code gave, which DVC's cache has


def told(output: str) -> dict[str, set[str]]:
    """How the seeds of each experiment came about, as the command says it."""
    found: dict[str, set[str]] = {}
    for name, how in re.findall(r"^(\w+): seed \d+ (\w+) ", output, re.MULTILINE):
        found.setdefault(name, set()).add(how)
    return found
