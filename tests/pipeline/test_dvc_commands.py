"""What DVC's own commands make of the pipeline's metrics, plots and lock file."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.helpers.project import Project

pytestmark = pytest.mark.pipeline


def test_when_metrics_are_shown_then_every_experiment_is_there(project: Project) -> None:
    shown = json.loads(project.run("dvc", "metrics", "show", "--json").stdout)
    metrics = json.loads((project.folder / "reports/metrics.json").read_text())
    assert shown[""]["data"]["reports/metrics.json"]["data"] == metrics


def test_when_settings_change_then_metrics_diff_says_what_it_did(project: Project) -> None:
    project.edit(lambda content: content["experiments"]["rnn"].update(hidden=6))
    project.repro()
    changed = json.loads(project.run("dvc", "metrics", "diff", "--json").stdout)["reports/metrics.json"]
    assert changed["rnn.n_parameters"]["diff"] < 0
    assert "lstm.rmse_mean" not in changed


def test_when_plots_are_shown_then_they_hold_every_seed(project: Project) -> None:
    project.run("dvc", "plots", "show", "--out", "plots_out")
    page = (project.folder / "plots_out/index.html").read_text()
    shutil.rmtree(project.folder / "plots_out")
    assert "transformer_no_positions" in page
    assert "rmse_mean" in page


def test_when_experiments_are_shown_then_the_metrics_are_columns(project: Project) -> None:
    table = project.run("dvc", "exp", "show", "--csv").stdout
    assert "lasso.rmse_mean" in table.splitlines()[0]


def test_when_the_data_are_absent_then_the_lock_file_still_matches(
    project: Project, tmp_path_factory
) -> None:
    bare = tmp_path_factory.mktemp("bare") / "clone"
    project.run("git", "clone", "-q", str(project.folder), str(bare))
    done = project.run("dvc", "--cd", str(bare), "repro", "--dry", "--allow-missing")
    assert "Running stage" not in done.stdout
