"""The whole comparison of studies at the edge: nothing finished, one of something, errors of zero."""

from __future__ import annotations

import json

import numpy as np

from tests.compare.study import run
from tests.helpers.runs_tree import RunsTree


def test_when_nothing_finished_then_there_is_still_a_comparison(runs_tree):
    for name in ("rnn", "lstm"):
        runs_tree.add(name, failed=dict.fromkeys((0, 1, 2), "no"))
    comparison = run(
        runs_tree, ablations={"q": {"baseline": "rnn", "variants": ["lstm"]}}, compare={"resamples": 100}
    )
    assert (comparison.reference, comparison.pairs, comparison.test.n_rows) == (None, (), 0)
    assert comparison.ablations["q"].missing == ("rnn", "lstm")
    assert comparison.order == ("lstm", "rnn")


def test_when_there_is_one_experiment_then_there_is_nothing_to_pair(runs_tree):
    runs_tree.add("rnn")
    comparison = run(runs_tree)
    assert (comparison.pairs, comparison.versus_reference, comparison.reference) == ((), (), "rnn")
    assert comparison.experiments["rnn"].group == "a"


def test_when_there_is_one_seed_then_it_has_no_sd_and_separates_nothing(runs_tree):
    runs_tree.add("rnn", noise=5.0, seeds=(0,))
    runs_tree.add("lstm", noise=90.0, seeds=(0,))
    comparison = run(runs_tree)
    assert comparison.experiments["rnn"].metrics["rmse"].sd is None
    assert not comparison.pairs[0].separable
    assert "one seed" in comparison.pairs[0].why
    assert {one.group for one in comparison.experiments.values()} == {"a"}
    assert any("One finished seed" in note for note in comparison.notes)


def test_when_two_deterministic_models_differ_clearly_then_periods_alone_separate_them(runs_tree):
    runs_tree.add("good", deterministic=True, noise=5.0)
    runs_tree.add("bad", deterministic=True, noise=90.0)
    comparison = run(runs_tree)
    assert comparison.pairs[0].better == "good"
    assert [comparison.experiments[name].group for name in ("good", "bad")] == ["a", "b"]


def test_when_two_experiments_forecast_the_same_then_they_share_everything(runs_tree):
    same = runs_tree.y[None, :, -12:] + np.arange(3)[:, None, None]
    runs_tree.add("rnn", forecasts=same)
    runs_tree.add("twin", forecasts=same)
    comparison = run(runs_tree)
    pair = comparison.pairs[0]
    assert (pair.difference, pair.separable, pair.dm.p) == (0.0, False, None)
    assert pair.improvement.estimate == 0.5
    assert comparison.confidence_set.included == ("rnn", "twin")


def test_when_forecasts_are_perfect_then_errors_are_zero(runs_tree):
    runs_tree.add("oracle", deterministic=True, forecasts=runs_tree.y[None, :, -12:])
    runs_tree.add("rnn")
    comparison = run(runs_tree)
    oracle = comparison.experiments["oracle"]
    assert (oracle.metrics["rmse"].mean, oracle.top_share, oracle.top_series) == (0.0, None, ())


def test_when_the_test_block_is_one_period_then_nothing_is_separable_and_it_is_said(tmp_path):
    tree = RunsTree(tmp_path, test_steps=1)
    tree.add("rnn", noise=1.0)
    tree.add("naive", noise=500.0, deterministic=True)
    comparison = run(tree)
    assert comparison.experiments["rnn"].periods.low is None
    assert not comparison.pairs[0].separable
    assert comparison.pairs[0].dm.p is None
    assert any("No interval over target periods" in note for note in comparison.notes)


def test_when_all_values_are_zero_then_wape_and_rmsse_are_none(tmp_path):
    tree = RunsTree(tmp_path, y=np.zeros((3, 40)))
    tree.add("rnn")
    comparison = run(tree)
    rnn = comparison.experiments["rnn"]
    assert (rnn.metrics["wape"].mean, rnn.metrics["rmsse"].mean, rnn.iqm.estimate) == (None, None, None)
    assert rnn.scores["wape"] == (None, None, None)
    assert rnn.metrics["rmse"].mean > 0
    assert json.loads((tree.reports / "metrics.json").read_text())["rnn"]["wape_mean"] is None
    assert any("3 of 3 series do not change" in note for note in comparison.notes)


def test_when_there_are_several_steps_then_each_has_its_rmse(tmp_path):
    tree = RunsTree(tmp_path, horizon=3)
    tree.add("rnn")
    comparison = run(tree)
    assert (comparison.test.horizon, comparison.test.n_rows) == (3, 4 * 10 * 3)
    assert [one.step for one in comparison.experiments["rnn"].by_step] == [1, 2, 3]
