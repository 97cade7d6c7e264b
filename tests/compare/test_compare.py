"""The whole comparison from files to files: figures, families of comparisons, and the same bytes twice."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from panelbench.compare import compare, load_comparison
from panelbench.compare.outputs import FILES
from panelbench.errors import InputError
from tests.compare.study import run
from tests.helpers.runs_tree import RunsTree

SIX = (0, 1, 2, 3, 4, 5)


@pytest.fixture
def tree(runs_tree):
    runs_tree.add("naive", deterministic=True, noise=60.0, model="last_value", n_parameters=None)
    runs_tree.add("rnn", noise=20.0, seeds=SIX)
    runs_tree.add("lstm", noise=20.0, seeds=SIX, failed={2: "diverged"})
    runs_tree.add("transformer", noise=5.0, seeds=SIX)
    return runs_tree


def test_when_compared_then_every_file_is_written_and_read_back(tree):
    comparison = run(tree)
    assert sorted(path.name for path in tree.reports.iterdir()) == sorted([*FILES, "tasks"])
    assert [path.name for path in (tree.reports / "tasks").iterdir()] == ["tasks.csv"]
    assert sorted(comparison.order) == ["lstm", "naive", "rnn", "transformer"]
    assert (comparison.order[0], comparison.order[-1]) == ("transformer", "naive")
    assert len(comparison.pairs) == 6


def test_when_compared_then_stored_predictions_give_every_rmse_again(tree):
    comparison = run(tree)
    for name, experiment in comparison.experiments.items():
        frame = pd.read_parquet(tree.run_folder(name) / "predictions.parquet")
        squared = (frame["y_hat"] - frame["y"]) ** 2
        expected = np.sqrt(squared.groupby(frame["seed"]).mean())
        assert list(experiment.scores["rmse"]) == pytest.approx(expected.tolist(), rel=1e-9)
        assert experiment.metrics["rmse"].mean == pytest.approx(expected.mean(), rel=1e-9)
        assert experiment.periods.estimate == pytest.approx(expected.mean(), rel=1e-9)


def test_when_compared_twice_then_every_file_but_timing_has_the_same_bytes(tree):
    run(tree)
    first = {name: (tree.reports / name).read_bytes() for name in FILES}
    run(tree)
    assert {name: (tree.reports / name).read_bytes() for name in FILES} == first


def test_when_experiments_are_declared_in_another_order_then_their_figures_stay(tree):
    first = run(tree)
    tree.experiments = dict(reversed(tree.experiments.items()))
    second = run(tree)
    assert first.pairs == second.pairs
    assert first.experiments == second.experiments
    assert first.order == second.order


def test_when_seconds_change_then_only_timing_changes(tree):
    run(tree)
    first = {name: (tree.reports / name).read_bytes() for name in FILES}
    path = tree.run_folder("rnn") / "runs.json"
    path.write_text(path.read_text().replace('"seconds_fit": 1.5', '"seconds_fit": 2.5'))
    run(tree)
    changed = [name for name in FILES if (tree.reports / name).read_bytes() != first[name]]
    assert changed == ["timing.json"]


def test_when_a_seed_failed_then_it_is_counted_named_and_not_filled(tree):
    comparison = run(tree)
    lstm = comparison.experiments["lstm"]
    assert (lstm.n_ok, lstm.n_failed, lstm.seeds) == (5, 1, (0, 1, 3, 4, 5))
    assert [(one.experiment, one.seed, one.error) for one in comparison.failures] == [("lstm", 2, "diverged")]
    pair = next(one for one in comparison.pairs if {one.a, one.b} == {"rnn", "lstm"})
    assert pair.seeds.seeds == (0, 1, 3, 4, 5)
    assert any("lstm: 1 of 6 seeds failed (2)" in note for note in comparison.notes)


def test_when_every_seed_failed_then_the_experiment_keeps_its_row(tree):
    tree.add("dead", failed=dict.fromkeys((0, 1, 2), "out of memory"))
    comparison = run(tree)
    assert comparison.order[-1] == "dead"
    dead = comparison.experiments["dead"]
    assert (dead.n_ok, dead.n_failed, dead.group, dead.metrics["rmse"].mean) == (0, 3, "", None)
    board = pd.read_csv(tree.reports / "leaderboard.csv")
    assert board["experiment"].iloc[-1] == "dead"
    assert board.iloc[-1][["rmse_mean", "group"]].isna().all()
    assert len(comparison.pairs) == 6


def test_when_a_reference_is_named_then_all_others_are_compared_to_it(tree):
    comparison = run(tree, compare={"reference": "naive", "resamples": 200, "block_length": 3})
    assert comparison.reference == "naive"
    assert [(one.a, one.b) for one in comparison.versus_reference] == [
        (name, "naive") for name in comparison.order[:3]
    ]
    assert all(one.difference < 0 for one in comparison.versus_reference)


def test_when_the_named_reference_failed_then_the_best_stands_in_and_it_is_said(tree):
    tree.add("dead", failed=dict.fromkeys((0, 1, 2), "no"))
    comparison = run(tree, compare={"reference": "dead"})
    assert comparison.reference == "transformer"
    assert "'dead' was asked for" in comparison.reference_rule


def test_when_the_data_choose_the_reference_then_its_comparisons_are_those_of_all_pairs(tree):
    comparison = run(tree)
    assert comparison.reference == "transformer"
    assert (comparison.method.reference_family, comparison.method.n_reference) == ("all pairs", 6)
    by_names = {(pair.a, pair.b): pair for pair in comparison.pairs}
    for pair in comparison.versus_reference:
        same = by_names["transformer", pair.a]
        assert pair.seeds.p_t_holm == same.seeds.p_t_holm
        assert pair.periods.family_low == pytest.approx(-same.periods.family_high)
        assert (pair.separable, pair.better, pair.why) == (same.separable, same.better, same.why)


def test_when_there_is_an_ablation_then_variants_are_compared_with_its_baseline(tree):
    comparison = run(tree, ablations={"cell": {"baseline": "rnn", "variants": ["lstm", "transformer"]}})
    ablation = comparison.ablations["cell"]
    assert [(one.a, one.b) for one in ablation.variants] == [("lstm", "rnn"), ("transformer", "rnn")]
    assert all(one.seeds.family == 2 for one in ablation.variants)
    by_hand = np.subtract(
        comparison.experiments["transformer"].scores["rmse"], comparison.experiments["rnn"].scores["rmse"]
    )
    assert ablation.variants[1].seeds.differences == pytest.approx(by_hand)


def test_when_pairs_are_told_apart_then_letters_follow(tree):
    comparison = run(tree)
    for pair in comparison.pairs:
        shared = set(comparison.experiments[pair.a].group) & set(comparison.experiments[pair.b].group)
        assert bool(shared) != pair.separable
    assert any(pair.separable for pair in comparison.pairs)


def test_when_runs_differ_in_versions_or_threads_then_it_is_noted(runs_tree):
    runs_tree.add("rnn")
    runs_tree.add("lstm", record={"threads": 2, "code_sha256": "d" * 64, "versions": {"torch": "2.12.0"}})
    comparison = run(runs_tree)
    text = " ".join(comparison.notes)
    assert "number of threads: 1, 2" in text
    assert "version of torch: 2.12.0, 2.13.0" in text
    assert "state of the code" in text


def test_when_runs_must_not_be_compared_then_nothing_is_written(runs_tree):
    runs_tree.add("rnn")
    runs_tree.add("lstm", record={"panel_sha256": "f" * 64})
    with pytest.raises(InputError):
        compare(runs_tree.settings(), runs_tree.root)
    assert not runs_tree.reports.exists()


def test_when_comparison_json_is_absent_or_foreign_then_it_is_named(tmp_path):
    path = tmp_path / "comparison.json"
    with pytest.raises(InputError, match="not there"):
        load_comparison(path)
    path.write_text('{"order": []}')
    with pytest.raises(InputError, match="not a comparison of this version"):
        load_comparison(path)


def test_when_tables_are_read_then_their_columns_are_the_promised_ones(tree):
    run(tree)
    board = pd.read_csv(tree.reports / "leaderboard.csv")
    assert board.columns.tolist() == [
        "experiment", "label", "model", "deterministic", "n_ok", "n_failed", "rmse_mean", "rmse_sd",
        "rmse_min", "rmse_max", "mse_mean", "mae_mean", "wape_mean", "rmsse_mean", "n_parameters", "group",
        "horizon", "mode", "leaks",
    ]  # fmt: skip
    assert board["rmse_mean"].is_monotonic_increasing
    scores = pd.read_csv(tree.reports / "scores.csv")
    assert scores.columns.tolist() == ["experiment", "seed", "rmse", "mse", "mae", "wape", "rmsse", "bias"]
    assert len(scores) == 1 + 6 + 5 + 6
    metrics = json.loads((tree.reports / "metrics.json").read_text())
    assert metrics["naive"]["rmse_sd"] is None
    assert not any("seconds" in key for key in metrics["rnn"])
    timing = json.loads((tree.reports / "timing.json").read_text())
    assert timing["rnn"]["seconds_fit_mean"] == 1.5
    by_series = pd.read_csv(tree.reports / "by_series.csv")
    assert math.isclose(by_series.query("experiment == 'rnn'")["share"].sum(), 1.0)
    assert len(pd.read_csv(tree.reports / "by_period.csv")) == 4 * 12


def test_when_the_lectures_panel_is_forecast_naively_then_the_published_errors_come_out(tmp_path, m5_csv):
    frame = pd.read_csv(m5_csv).sort_values(["store_id", "cat_id", "week_start"])
    y = frame["units"].to_numpy(np.float64).reshape(30, 277)
    tree = RunsTree(tmp_path, y=y, test_steps=53)
    tree.add("seasonal_naive", deterministic=True, forecasts=y[None, :, -105:-52])
    tree.add("last_value", deterministic=True, forecasts=y[None, :, -54:-1])
    comparison = run(tree)
    assert comparison.test.n_rows == 1590
    assert comparison.experiments["seasonal_naive"].metrics["rmse"].mean == pytest.approx(2152.118, abs=5e-4)
    assert comparison.experiments["last_value"].metrics["rmse"].mean == pytest.approx(1340.0, abs=0.05)
