"""Experiments of other horizons, and of a split that leaks: kept apart from files to files."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from tests.compare.study import run

SIX = (0, 1, 2, 3, 4, 5)
LEAKS = {"horizon": 3, "boundary": "windows"}


@pytest.fixture
def tree(runs_tree):
    """Three one-step experiments, three of three steps, of which one leaks and is the most accurate."""
    runs_tree.add("naive", deterministic=True, noise=60.0, model="last_value", n_parameters=None)
    runs_tree.add("rnn", noise=20.0, seeds=SIX)
    runs_tree.add("lstm", noise=30.0, seeds=SIX)
    runs_tree.add("rnn_direct", noise=20.0, seeds=SIX, own={"horizon": 3})
    runs_tree.add("rnn_fed_back", noise=40.0, seeds=SIX, own={"horizon": 3, "strategy": "recursive"})
    runs_tree.add("rnn_leaky", noise=1.0, seeds=SIX, own=LEAKS)
    return runs_tree


def test_when_horizons_differ_then_each_has_a_comparison_of_its_own(tree):
    main, other = run(tree).every
    assert (main.task.id, main.task.modes) == ("one_step", ("rolling",))
    assert (other.task.id, other.task.modes) == ("multi_step_3", ("direct", "recursive"))
    assert other.task.title == "Direct and recursive multi-step forecasts, 3 periods ahead"
    assert (set(main.order), set(other.order)) == (
        {"naive", "rnn", "lstm"},
        {"rnn_direct", "rnn_fed_back"},
    )
    assert (main.test.horizon, other.test.horizon, other.test.n_rows) == (1, 3, 4 * 10 * 3)
    assert {(pair.a, pair.b) for pair in other.pairs} == {("rnn_direct", "rnn_fed_back")}
    assert (main.reference, other.reference) == ("rnn", "rnn_direct")


def test_when_defaults_name_a_horizon_then_its_task_is_the_main_one(tree):
    ids = [part.task.id for part in run(tree, defaults={"horizon": 3}).every]
    assert ids == ["multi_step_3", "one_step"]
    ids = [part.task.id for part in run(tree, defaults={"horizon": 8}).every]
    assert ids == ["one_step", "multi_step_3"]  # three sound experiments against two


def test_when_horizons_differ_then_the_top_level_still_has_every_experiment(tree):
    comparison = run(tree)
    assert list(comparison.experiments) == list(tree.experiments)
    assert set(comparison.others[0].experiments) == {"rnn_direct", "rnn_fed_back", "rnn_leaky"}
    metrics = json.loads((tree.reports / "metrics.json").read_text())
    assert {name: one["horizon"] for name, one in metrics.items()}["rnn_direct"] == 3


def test_when_a_reference_is_named_then_the_other_task_takes_its_best(tree):
    main, other = run(tree, compare={"reference": "naive", "resamples": 100, "block_length": 3}).every
    assert (main.reference, main.method.n_reference) == ("naive", 2)
    assert (other.reference, other.method.reference_family) == ("rnn_direct", "all pairs")


def test_when_horizons_differ_then_tables_are_kept_apart(tree):
    run(tree)
    board = pd.read_csv(tree.reports / "leaderboard.csv")
    assert set(board["experiment"]) == {"naive", "rnn", "lstm"}
    folder = tree.reports / "tasks" / "multi_step_3"
    other = pd.read_csv(folder / "leaderboard.csv")
    assert other["experiment"].tolist() == ["rnn_direct", "rnn_fed_back", "rnn_leaky"]
    assert other["mode"].tolist() == ["direct", "recursive", "direct"]
    assert sorted(path.name for path in folder.iterdir()) == [
        "by_period.csv", "by_series.csv", "leaderboard.csv", "scores.csv",
    ]  # fmt: skip
    listed = pd.read_csv(tree.reports / "tasks/tasks.csv")
    assert listed["horizon"].tolist() == [1, 3]
    assert listed["experiments"].tolist() == [3, 3]
    assert listed["tables"].tolist() == ["reports", "reports/tasks/multi_step_3"]


def test_when_the_other_horizon_is_taken_away_then_its_folder_goes(tree):
    run(tree)
    for name in ("rnn_direct", "rnn_fed_back", "rnn_leaky"):
        del tree.experiments[name]
    assert run(tree).others == ()
    assert [path.name for path in (tree.reports / "tasks").iterdir()] == ["tasks.csv"]


def test_when_there_are_several_steps_then_stored_predictions_give_each_ones_error_again(tree):
    comparison = run(tree)
    table = pd.read_csv(tree.reports / "by_step.csv")
    assert set(table["experiment"]) == {"rnn_direct", "rnn_fed_back", "rnn_leaky"}
    frame = pd.read_parquet(tree.run_folder("rnn_direct") / "predictions.parquet")
    frame["error"] = (frame["y_hat"] - frame["y"]).abs()
    frame["square"] = frame["error"] ** 2
    mae = frame.pivot_table(index="seed", columns="step", values="error")
    rmse = np.sqrt(frame.pivot_table(index="seed", columns="step", values="square"))
    rows = table[table["experiment"] == "rnn_direct"]
    assert rows["step"].tolist() == [1, 2, 3]
    assert rows["rmse_mean"].to_numpy() == pytest.approx(rmse.mean().to_numpy())
    assert rows["rmse_sd"].to_numpy() == pytest.approx(rmse.std().to_numpy())
    assert rows["mae_mean"].to_numpy() == pytest.approx(mae.mean().to_numpy())
    assert (rows["n"].tolist(), rows["n_seeds"].tolist()) == ([40] * 3, [6] * 3)
    entry = comparison.experiments["rnn_direct"].by_step[2]
    assert (entry.step, entry.rmse.n) == (3, 6)
    assert entry.rmse.mean == pytest.approx(rmse[3].mean())


def test_when_forecasts_span_steps_then_their_periods_are_resampled_in_longer_blocks(tree):
    main, other = run(tree, compare={"resamples": 100, "block_length": 2}).every
    assert (main.method.block_length, other.method.block_length) == (2, 3)


def test_when_a_split_leaks_then_its_score_is_shown_and_decides_nothing(tree):
    comparison = run(tree, ablations={"mode": {"baseline": "rnn_direct", "variants": ["rnn_fed_back"]}})
    other = comparison.others[0]
    leaky = comparison.experiments["rnn_leaky"]
    assert leaky.leaks
    assert leaky.metrics["rmse"].mean < other.experiments["rnn_direct"].metrics["rmse"].mean
    assert (other.leaky, leaky.group) == (("rnn_leaky",), "")
    named = {name for pair in (*other.pairs, *other.versus_reference) for name in (pair.a, pair.b)}
    assert "rnn_leaky" not in {*named, *other.order, *other.confidence_set.included, other.support.first}
    label = other.experiments["rnn_leaky"].label
    assert any(f"{label} leaks, as declared" in note for note in other.notes)
    assert comparison.ablations == {}
    assert list(other.ablations) == ["mode"]


def test_when_every_experiment_of_a_task_leaks_then_the_task_has_no_order(runs_tree):
    runs_tree.add("rnn", noise=20.0)
    runs_tree.add("leaky", noise=1.0, own=LEAKS)
    main, other = run(runs_tree).every
    assert main.order == ("rnn",)
    assert (other.order, other.leaky, other.reference, other.pairs) == ((), ("leaky",), None, ())
