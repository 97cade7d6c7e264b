"""The smoke preset through real DVC: what an edit reruns, what a mistake stops, what a failure leaves."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.project import LIMIT, SMOKE, Project, digests

pytestmark = pytest.mark.pipeline

AFTER_TRAINING = ["compare", "report", "check"]


def add(name: str, **settings: Any) -> Any:
    def change(content: dict[str, Any]) -> None:
        content["experiments"][name] = settings

    return change


def test_when_run_from_a_fresh_clone_then_every_stage_runs_once_and_the_report_is_there(
    project: Project,
) -> None:
    stages = project.first_run
    assert stages[:4] == ["validate", "fetch", "prepare", "audit"]
    assert stages[-3:] == AFTER_TRAINING
    declared = [f"train@{name}" for name in json.loads((project.folder / "reports/metrics.json").read_text())]
    assert sorted(stages[4:-3]) == sorted(declared)
    assert "<html" in (project.folder / "reports/benchmark.html").read_text()
    assert "reports/benchmark.html" in project.first_output


def test_when_nothing_changed_then_nothing_runs(project: Project) -> None:
    stages, output = project.repro()
    assert stages == []
    assert "up to date" in output


def test_when_it_has_run_then_git_sees_no_new_files(project: Project) -> None:
    assert project.run("git", "status", "--porcelain").stdout == ""


def test_when_an_experiment_is_added_then_only_it_is_trained(project: Project) -> None:
    project.edit(add("rnn_wide", model="rnn", hidden=12))
    stages, _ = project.repro()
    assert [name for name in stages if name not in {"validate", "audit"}] == [
        "train@rnn_wide",
        *AFTER_TRAINING,
    ]
    changed = json.loads(project.run("dvc", "metrics", "diff", "--json").stdout)["reports/metrics.json"]
    assert "rnn_wide.rmse_mean" in changed
    assert "lstm.rmse_mean" not in changed


def test_when_an_experiment_is_removed_then_it_does_not_come_back(project: Project, runs: Path) -> None:
    tables = ("metrics.json", "leaderboard.csv", "scores.csv", "comparison.json", "benchmark.html")
    before = digests(project.folder, *(f"reports/{name}" for name in tables))
    project.edit(add("rnn_wide", model="rnn", hidden=12))
    project.repro()
    project.params.write_text(SMOKE)
    stages, output = project.repro()
    assert stages == ["validate", "check"], "what the earlier settings gave comes from DVC's cache"
    assert "Not declared any more, kept in DVC's cache only: rnn_wide." in output
    assert not (runs / "rnn_wide").exists()
    assert digests(project.folder, *(f"reports/{name}" for name in tables)) == before


def test_when_a_folder_of_runs_was_put_there_by_hand_then_it_is_not_compared(
    project: Project, runs: Path
) -> None:
    shutil.copytree(runs / "rnn", runs / "stranger")
    try:
        stages, _ = project.repro("compare")
        assert stages == ["compare"]
        assert "stranger" not in (project.folder / "reports/leaderboard.csv").read_text()
    finally:
        shutil.rmtree(runs / "stranger")
        project.repro("compare")


def test_when_a_key_is_misspelt_then_validate_names_the_nearest_and_nothing_else_runs(
    project: Project,
) -> None:
    project.edit(add("rnn_typo", model="rnn", hiden=12))
    stages, output = project.repro(code=255)
    assert stages == ["validate"]
    assert "experiments.rnn_typo" in output
    assert "Did you mean 'hidden'?" in output
    assert "Traceback" not in output


def test_when_params_are_unusable_then_nothing_is_trained(project: Project) -> None:
    text = project.params.read_text()
    lasso = "  lasso: {model: lasso, splits: 3}"
    for old, new in (
        ("experiments:", "experimnts:"),
        (lasso, "  lasso: {model: lasso\n"),
        (lasso, "  Las so: {model: lasso}"),
        (lasso, "  rnn: {model: lasso}"),
        ("seeds: [0, 1] ", "seeds: [] "),
        ("source: synthetic", "source: syntetic"),
    ):
        assert old in text
        project.params.write_text(text.replace(old, new, 1))
        stages, _ = project.repro(code=255)
        assert stages in ([], ["validate"]), new
        told = project.run("panelbench", "validate", code=2).stdout
        assert "params.yaml" in told
        assert len(told.strip().splitlines()) == 1


def test_when_only_a_comment_changes_then_only_validate_runs(project: Project) -> None:
    project.params.write_text("# a remark\n" + project.params.read_text())
    stages, _ = project.repro()
    assert stages == ["validate"]


def test_when_a_default_of_networks_changes_then_no_other_model_is_trained_again(project: Project) -> None:
    project.edit(lambda content: content["defaults"].update(learning_rate=0.002))
    project.run("panelbench", "validate")
    trained = [name for name in project.repro("--dry")[0] if name.startswith("train@")]
    networks = ("cnn", "lstm", "rnn", "transformer", "transformer_no_positions")
    assert set(trained) == {f"train@{name}" for name in networks}


def test_when_only_the_title_changes_then_only_the_report_is_made_again(project: Project) -> None:
    project.edit(lambda content: content["report"].update(title="Another title"))
    stages, _ = project.repro()
    assert stages == ["validate", "report", "check"]
    assert "Another title" in (project.folder / "reports/benchmark.html").read_text()


def test_when_report_code_changes_then_nothing_is_trained(project: Project) -> None:
    module = project.folder / "src/panelbench/report/words.py"
    before = module.read_text()
    module.write_text(before + "\n# a remark\n")
    try:
        assert project.repro("--dry")[0] == ["report"]
    finally:
        module.write_text(before)


def test_when_a_seed_fails_then_the_report_shows_it_and_check_stays_red(project: Project, runs: Path) -> None:
    steep = {"filters": [4, 8], "kernels": [5, 3], "learning_rate": 1e12, "clip_norm": None}
    project.edit(add("cnn_diverging", model="cnn", **steep))
    stages, output = project.repro(code=255)
    assert stages[-1] == "check"
    assert "cnn_diverging: 2 of 2 runs failed" in output
    records = json.loads((runs / "cnn_diverging/runs.json").read_text())["runs"]
    assert [record["status"] for record in records] == ["failed", "failed"]
    assert "cnn_diverging" in (project.folder / "reports/benchmark.html").read_text()
    metrics = json.loads((project.folder / "reports/metrics.json").read_text())
    assert metrics["cnn_diverging"]["n_failed"] == 2
    assert metrics["cnn_diverging"].get("rmse_mean") is None, "a failed run is never filled in"

    again, _ = project.repro(code=255)
    assert again == ["check"]
    forced, _ = project.repro("-s", "-f", "train@cnn_diverging")
    assert forced == ["train@cnn_diverging"]


def test_when_stopped_in_training_then_repro_goes_on(project: Project, runs: Path) -> None:
    # Far more seeds than can finish while a signal is on its way.
    project.edit(add("forest", model="random_forest", trees=30, seeds=[*range(300)]))
    for kind in (signal.SIGKILL, signal.SIGINT):
        stop_in_training(project, "forest", kind)
        assert not (runs / "forest").exists(), "it was stopped before all seeds had finished"
    project.edit(add("forest", model="random_forest", trees=30, seeds=[0, 1, 2, 3]))
    stages, output = project.repro("train@forest")
    assert stages == ["validate", "audit", "train@forest"]
    assert "forest: seed 0 taken from the store" in output, "what had finished is not trained again"
    assert len(json.loads((runs / "forest/runs.json").read_text())["runs"]) == 4
    left = [*project.folder.rglob(".*.tmp"), *(project.folder / "data/.unfinished").glob("*")]
    assert not left


def stop_in_training(project: Project, name: str, kind: signal.Signals) -> None:
    """Send a signal to everything that a terminal would when the first seed has finished and others run."""
    with project.running("dvc", "repro", f"train@{name}") as process:
        assert process.stdout is not None
        told = []
        for line in process.stdout:
            told.append(line)
            if line.startswith(f"{name}: seed 0 "):
                break
        else:
            pytest.fail(f"no seed was seen to finish: {''.join(told)}")
        os.killpg(process.pid, kind)
        process.communicate(timeout=LIMIT)
        assert process.returncode != 0


def test_when_the_users_file_changes_then_it_is_read_again(project: Project, tmp_path: Path) -> None:
    rows = [f"{store},2024-01-{1 + day:02d},{100 * store + day}" for store in (1, 2) for day in range(28)]
    table = tmp_path / "sales.csv"
    table.write_text("\n".join(["store,day,sold", *rows]) + "\n")
    panel = {
        "source": "csv",
        "path": str(table),
        "time": "day",
        "id": "store",
        "target": "sold",
        "frequency": "D",
    }
    project.edit(lambda content: content.update(panel=panel))
    assert project.repro("prepare")[0] == ["validate", "fetch", "prepare"]
    before = (project.folder / "data/panel.json").read_bytes()

    assert project.repro("prepare")[0] == []
    table.write_text(table.read_text().replace("1,2024-01-05,104", "1,2024-01-05,999"))
    assert project.repro("prepare")[0] == ["fetch", "prepare"]
    assert (project.folder / "data/panel.json").read_bytes() != before


def test_when_metrics_are_shown_then_every_experiment_is_there(project: Project) -> None:
    shown = json.loads(project.run("dvc", "metrics", "show", "--json").stdout)
    metrics = json.loads((project.folder / "reports/metrics.json").read_text())
    numbers = {
        name: {key: value for key, value in own.items() if value is not None} for name, own in metrics.items()
    }
    assert shown[""]["data"]["reports/metrics.json"]["data"] == numbers


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
