from __future__ import annotations

import numpy as np
import pytest

from panelbench.compare.contrast import contrast, period_interval, with_seeds
from panelbench.config.settings import CompareSettings

SETTINGS = CompareSettings(resamples=200, block_length=2)


def test_when_both_have_seeds_then_the_interval_is_over_common_seeds(make_scores):
    a = make_scores("a", [10.0, 20.0, 30.0], seeds=(1, 2, 3))
    b = make_scores("b", [5.0, 11.0, 99.0], seeds=(2, 3, 4))
    one = contrast(a, b, "rmse", SETTINGS)
    assert (one.n, one.over) == (2, "seeds")
    assert one.values.tolist() == [15.0, 19.0]
    assert one.estimate == 17.0
    # sd 2.828, n 2, t(1) = 12.706: half-width 25.41
    assert one.interval(0.95) == pytest.approx((17 - 25.41, 17 + 25.41), abs=0.01)


def test_when_the_two_change_places_then_sign_and_interval_turn(make_scores):
    a, b = make_scores("a", [1.0, 2.0]), make_scores("b", [4.0, 6.0])
    one, turned = contrast(a, b, "rmse", SETTINGS), contrast(b, a, "rmse", SETTINGS)
    low, high = one.interval(0.9)
    assert turned.interval(0.9) == pytest.approx((-high, -low))
    assert (turned.a, turned.estimate) == ("b", -one.estimate)


def test_when_neither_has_seeds_then_the_interval_is_over_periods(make_scores):
    rng = np.random.default_rng(0)
    a = make_scores("a", [3.0], deterministic=True, squared=rng.uniform(8, 10, (1, 20)))
    b = make_scores("b", [4.0], deterministic=True, squared=rng.uniform(15, 17, (1, 20)))
    one = contrast(a, b, "rmse", SETTINGS)
    assert (one.over, one.n, one.estimate) == ("periods", 1, -1.0)
    low, high = one.interval(0.95)
    assert low < high < 0
    assert period_interval(a, b, SETTINGS) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("a", "b", "metric", "reason"),
    [
        (([1.0], (1,), False), ([2.0, 3.0], (1, 2), False), "rmse", "one seed"),
        (([1.0, 2.0], (1, 2), False), ([2.0, 3.0], (3, 4), False), "rmse", "no finished seed in common"),
        (([1.0], (1,), True), ([2.0], (1,), True), "mae", "RMSE and MSE alone"),
        (([1.0, float("nan")], (1, 2), False), ([2.0, 3.0], (1, 2), False), "rmsse", "undefined"),
    ],
)
def test_when_the_data_allow_no_interval_then_the_reason_is_given(make_scores, a, b, metric, reason):
    one, other = (make_scores(name, *args) for name, args in (("a", a), ("b", b)))
    found = contrast(one, other, metric, SETTINGS)
    assert found.over == "nothing"
    assert reason in found.reason
    with pytest.raises(ValueError, match="no interval"):
        found.interval(0.95)


def test_when_some_seeds_are_asked_for_then_only_they_count(make_scores):
    scores = make_scores("a", [1.0, 2.0, 4.0], seeds=(1, 2, 5))
    assert with_seeds(scores, None) is scores
    chosen = with_seeds(scores, (2, 5, 42))
    assert chosen.seeds == (2, 5)
    assert chosen.values["rmse"].tolist() == [2.0, 4.0]
    assert chosen.squared.shape[0] == chosen.scaled.shape[0] == chosen.rmse_by_step.shape[0] == 2
    assert with_seeds(scores, (7,)) is None


def test_when_a_model_has_no_randomness_then_it_stands_for_every_seed(make_scores):
    fixed = make_scores("a", [1.0], seeds=(0,), deterministic=True)
    assert with_seeds(fixed, (42,)) is fixed
