"""Spread over seeds: hand-computed, and honest about one seed, none, and no spread."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from panelbench.compare.spread import spread, t_interval


def test_when_three_seeds_then_mean_sd_and_interval_are_the_hand_computed_ones():
    result = spread(np.array([1.0, 2.0, 3.0]), 0.95)
    half = 4.302653 / np.sqrt(3)  # t(0.975, 2)
    assert (result.n, result.mean, result.sd, result.min, result.max) == (3, 2.0, 1.0, 1.0, 3.0)
    assert (result.low, result.high) == pytest.approx((2 - half, 2 + half), rel=1e-6)


def test_when_one_seed_then_there_is_no_sd_and_no_interval():
    result = spread(np.array([5.0]), 0.95)
    assert (result.n, result.mean, result.sd, result.low, result.high) == (1, 5.0, None, None, None)


def test_when_two_seeds_then_the_interval_is_wide_and_there():
    result = spread(np.array([4.0, 6.0]), 0.95)
    assert result.high - result.mean == pytest.approx(12.7062, rel=1e-4)


def test_when_no_seed_finished_then_nothing_is_filled_in():
    assert spread(np.array([]), 0.95).model_dump(exclude={"n"}) == dict.fromkeys(
        ("mean", "sd", "min", "max", "low", "high")
    )


def test_when_the_metric_is_undefined_then_every_figure_is_none():
    result = spread(np.array([np.nan, 1.0]), 0.95)
    assert (result.n, result.mean, result.sd) == (2, None, None)


def test_when_deterministic_then_there_is_no_zero_spread():
    result = spread(np.array([3.0]), 0.95, deterministic=True)
    assert (result.mean, result.sd, result.low) == (3.0, None, None)


def test_when_all_seeds_agree_then_the_spread_is_zero_and_said_so():
    result = spread(np.array([3.0, 3.0, 3.0]), 0.95)
    assert (result.sd, result.low, result.high) == (0.0, 3.0, 3.0)


def test_when_data_are_normal_then_the_interval_covers_the_mean_as_often_as_stated():
    rng = np.random.default_rng(0)
    trials = 1000
    hits = 0
    for _ in range(trials):
        low, high = t_interval(rng.normal(7.0, 2.0, size=6), 0.9)
        hits += low <= 7.0 <= high
    low, high = stats.binom.interval(0.999, trials, 0.9)
    assert low <= hits <= high
