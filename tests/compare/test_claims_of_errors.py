"""Claims on squared errors, improvements and parameter counts; horizons and leaks that forbid an answer."""

from __future__ import annotations

from typing import Any

import pytest

from panelbench.compare.claims.figures import Parameters
from panelbench.compare.compare import score_all
from panelbench.compare.runs import load_results
from panelbench.config.strict import parse
from panelbench.errors import InputError
from tests.compare.test_claims_judge import judged, value


@pytest.fixture
def tree(runs_tree):
    runs_tree.add("good", noise=5.0, n_parameters=110_808)
    runs_tree.add("bad", noise=60.0, n_parameters=110_680)
    runs_tree.add("twin", noise=60.0, n_parameters=110_808)
    runs_tree.add("naive", noise=30.0, deterministic=True, model="last_value", n_parameters=0)
    runs_tree.add("naive_too", noise=90.0, deterministic=True, model="last_value", n_parameters=0)
    runs_tree.add("far", noise=5.0, own={"horizon": 3})
    runs_tree.add("leaky", noise=5.0, own={"horizon": 3, "boundary": "windows"})
    return runs_tree


def mse(tree, name: str) -> float:
    results = load_results(tree.settings(), tree.root)
    return next(float(one.values["mse"].mean()) for one in score_all(results) if one.name == name)


def test_when_a_mean_squared_error_is_claimed_then_it_is_the_mean_over_seeds(tree):
    (found,) = judged(tree, value({"score": "mse", "experiment": "good"}, mse(tree, "good")))
    assert (found.verdict, found.metric) == ("reproduced", "mse")


def test_when_an_improvement_is_claimed_then_it_is_the_share_of_the_other_error_that_is_saved(tree):
    expected = 1 - mse(tree, "good") / mse(tree, "naive")
    claim = {"improvement": "good", "relative_to": "naive", "metric": "mse"}
    right, wrong = judged(
        tree,
        {**value(dict(claim), expected), "kind": "share"},
        {**value(claim, expected - 0.5), "kind": "share"},
    )
    assert right.verdict == "reproduced"
    assert right.measured == pytest.approx(expected)
    assert (right.measure, right.metric, right.subjects) == ("improvement", "mse", ("good", "naive"))
    assert wrong.verdict == "contradicted"
    assert wrong.low < wrong.measured < wrong.high


def test_when_equal_counts_are_claimed_then_both_are_named(tree):
    same, other = judged(
        tree,
        {"kind": "count", "measure": {"parameters": "good", "minus": "twin"}, "published": 0},
        {"kind": "count", "measure": {"parameters": "good", "minus": "bad"}, "published": 0},
    )
    assert (same.verdict, other.verdict) == ("reproduced", "contradicted")
    assert same.sentence == "Reproduced: 0 (110,808 against 110,808)."
    assert other.sentence == "Contradicted: 128 here (110,808 against 110,680), published 0."


def test_when_counts_are_related_in_two_ways_at_once_then_it_is_refused():
    with pytest.raises(InputError, match="not both"):
        parse(Parameters, {"parameters": "a", "over": "b", "minus": "c"}, "x", "own.yaml")


def test_when_two_without_seeds_are_ordered_by_mse_then_periods_decide(tree):
    (found,) = judged(tree, {"kind": "order", "better": "naive", "worse": "naive_too", "metric": "mse"})
    assert found.verdict == "reproduced"
    assert "target periods" in found.sentence


CLAIMS: list[dict[str, Any]] = [
    {"kind": "order", "better": "good", "worse": "far"},
    {"kind": "tie", "tie": ["good", "far"], "margin": 0.5, "why": "w"},
    {"kind": "difference", "of": "good", "minus": "far", "published": 0, "tolerance": 1, "why": "w"},
    {**value({"improvement": "good", "relative_to": "far"}, 0.0), "kind": "share"},
    {**value({"change": "good", "relative_to": "far"}, 0.0), "kind": "share"},
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: str(next(iter(claim.get("measure", claim)))))
def test_when_horizons_differ_then_nothing_made_of_both_errors_is_judged(tree, claim):
    (found,) = judged(tree, claim)
    assert found.verdict == "not_testable"
    assert "1 and 'far' 3 periods ahead" in found.sentence


def test_when_a_split_leaks_then_its_figure_is_marked_and_no_order_rests_on_it(tree):
    score, order = judged(
        tree,
        value({"score": "mse", "experiment": "leaky"}, mse(tree, "leaky")),
        {"kind": "order", "better": "leaky", "worse": "far"},
    )
    assert score.sentence.endswith("The split of leaky leaks.")
    assert order.verdict == "not_testable"
    assert "leaks, so its score decides nothing" in order.sentence
