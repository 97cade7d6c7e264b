from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from panelbench.compare.compare import compare, score_all
from panelbench.compare.ranks import ranks
from panelbench.compare.robustness import robustness
from panelbench.compare.robustness_schema import load_robustness
from panelbench.compare.runs import load_results
from panelbench.config.settings import CompareSettings


@pytest.fixture
def tree(runs_tree):
    """Under the baseline `a` beats `b`; `b_better` turns that round; `b_same` cannot be told from `a`."""
    runs_tree.add("a", noise=20.0, seed_noise=2.0)
    runs_tree.add("b", noise=80.0, seed_noise=2.0)
    runs_tree.add("b_better", noise=2.0, seed_noise=2.0)
    a = load_forecasts(runs_tree, "a")
    runs_tree.add("b_same", forecasts=a[[1, 2, 0]])
    runs_tree.add("naive", noise=200.0, deterministic=True, model="last_value")
    runs_tree.add("broken", failed={0: "Diverged", 1: "Diverged", 2: "Diverged"})
    return runs_tree


def load_forecasts(tree, name: str) -> np.ndarray:
    results = load_results(tree.settings(), tree.root)
    _, y_hat = results.forecasts(name)
    return y_hat.reshape(len(y_hat), tree.n_series, tree.test_steps)


def asked(**protocols: Any) -> dict[str, Any]:
    base = {"title": "As published", "experiments": {"a": "a", "b": "b", "naive": "naive"}}
    return {
        "roles": ["a", "b", "naive"],
        "protocols": {"published": base, **protocols},
        "verdicts": {
            "a_wins": {"title": "a beats b", "better": "a", "worse": "b"},
            "tie": {"title": "a ties b", "tie": ["a", "b"], "margin": 0.05},
        },
    }


def looked_at(tree, **protocols: Any):
    settings = tree.settings(robustness=asked(**protocols))
    results = load_results(settings, tree.root)
    found = robustness(settings, results, score_all(results), tree.root)
    assert load_robustness(tree.reports / "robustness.json").baseline == found.baseline
    return found


def test_when_protocols_differ_then_each_verdict_says_where_it_holds_and_what_flips_it(tree):
    found = looked_at(
        tree,
        better={"title": "A better b", "experiments": {"b": "b_better"}},
        same={"title": "The same b", "experiments": {"b": "b_same"}},
        failed={"title": "A b that fails", "experiments": {"b": "broken"}},
    )
    verdict = found.verdicts["a_wins"]
    assert {name: cell.outcome for name, cell in verdict.cells.items()} == {
        "published": "holds", "better": "reversed", "same": "not_separable", "failed": "not_testable",
    }  # fmt: skip
    assert verdict.counts == {"holds": 1, "reversed": 1, "not_separable": 1, "not_testable": 1}
    assert verdict.flipped_by == ("better",)
    assert verdict.sentence == "Holds in 1 of 3 protocols; turned round by: A better b."
    assert found.verdicts["tie"].cells["better"].outcome == "reversed"
    assert found.protocols["better"].changed == ("b",)
    assert found.protocols["published"].changed == ()
    assert found.protocols["failed"].scores["b"].reason == "no seed of it finished"


def test_when_a_cell_is_decided_then_its_interval_is_over_seeds_and_the_one_over_periods_stands_apart(tree):
    cell = looked_at(tree).verdicts["a_wins"].cells["published"]
    assert (cell.over, cell.n) == ("seeds", 3)
    assert cell.low < cell.difference < cell.high < 0
    assert cell.period_low < cell.period_high
    assert (cell.period_low, cell.period_high) != (cell.low, cell.high)
    assert cell.share == pytest.approx(-1.2, abs=0.2)


def test_when_a_protocol_looks_at_some_seeds_then_only_these_count(tree):
    found = looked_at(tree, one={"title": "One seed", "seeds": [1]}, two={"title": "Two", "seeds": [1, 2]})
    assert found.protocols["one"].scores["a"].n == 1
    assert found.protocols["one"].scores["naive"].n == 1
    assert found.verdicts["a_wins"].cells["one"].outcome == "not_testable"
    assert found.verdicts["a_wins"].cells["two"].n == 2


def test_when_the_metric_is_scaled_then_scores_are_in_it_and_no_interval_over_periods_is_made_up(tree):
    found = looked_at(tree, scaled={"title": "Scaled", "metric": "rmsse"})
    assert found.protocols["scaled"].scores["a"].mean < 5 < found.protocols["published"].scores["a"].mean
    assert found.verdicts["a_wins"].cells["scaled"].period_low is None


def test_when_nothing_is_asked_then_an_empty_file_is_written(tree):
    compare(tree.settings(), tree.root)
    found = load_robustness(tree.reports / "robustness.json")
    assert (found.baseline, found.protocols, found.verdicts) == (None, {}, {})


def test_when_models_are_far_apart_then_their_ranks_are_certain(make_scores):
    scores = {
        "best": make_scores("best", [1.0, 1.1, 0.9, 1.0]),
        "middle": make_scores("middle", [5.0, 5.1, 4.9, 5.1]),
        "worst": make_scores("worst", [9.0, 9.1, 9.2, 9.0]),
    }
    found = ranks(scores, "rmse", CompareSettings())
    assert [(one.rank, one.low, one.high) for one in found.values()] == [(1, 1, 1), (2, 2, 2), (3, 3, 3)]


def test_when_two_models_overlap_then_each_could_have_the_others_place(make_scores):
    scores = {
        "one": make_scores("one", [1.0, 3.0, 2.0]),
        "other": make_scores("other", [2.5, 1.0, 3.5]),
        "worst": make_scores("worst", [99.0, 99.1, 99.2]),
    }
    found = ranks(scores, "rmse", CompareSettings())
    assert (found["one"].low, found["one"].high) == (found["other"].low, found["other"].high) == (1, 2)
    assert (found["worst"].low, found["worst"].high) == (3, 3)


def test_when_means_are_equal_or_undefined_then_ranks_are_shared_or_absent(make_scores):
    scores = {
        "a": make_scores("a", [1.0, 3.0]),
        "b": make_scores("b", [3.0, 1.0]),
        "c": make_scores("c", [1.0, float("nan")]),
    }
    found = ranks(scores, "rmse", CompareSettings())
    assert found["a"].rank == found["b"].rank == 1.5
    assert "c" not in found
