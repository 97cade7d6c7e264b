"""Critical values: against the distributions they must be, and how often equal models are told apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from panelbench.compare.blocks import block_counts, difference_intervals, draw_rmse
from panelbench.compare.critical import block_variance, critical_value, moving_sum


def pairs(k: int) -> list[tuple[int, int]]:
    return list(combinations(range(k), 2))


def test_when_blocks_are_single_periods_then_it_is_students_t_of_the_sd_with_n():
    """With blocks of one the bootstrap's variance is the sample's with n for n - 1."""
    expected = stats.t.ppf(0.975, 11) * np.sqrt(12 / 11)
    assert critical_value(pairs(2), 12, 1, 0.95) == pytest.approx(expected, rel=0.02)


def test_when_there_are_many_blocks_then_it_is_tukeys_studentised_range():
    expected = stats.studentized_range.ppf(0.95, 5, 1e6) / np.sqrt(2)
    assert critical_value(pairs(5), 4000, 4, 0.95) == pytest.approx(expected, rel=0.05)


def test_when_there_are_fewer_blocks_or_more_pairs_then_more_is_asked():
    by_periods = [critical_value(pairs(4), periods, 4, 0.95) for periods in (12, 26, 52, 104)]
    assert by_periods == sorted(by_periods, reverse=True)
    by_pairs = [critical_value(pairs(k), 26, 4, 0.95) for k in (2, 3, 6, 12)]
    assert by_pairs == sorted(by_pairs)
    star = critical_value([(0, 1), (0, 2), (0, 3)], 26, 4, 0.95)
    assert critical_value(pairs(2), 26, 4, 0.95) < star < critical_value(pairs(4), 26, 4, 0.95)


def test_when_models_are_named_otherwise_or_in_another_order_then_it_is_the_same():
    assert critical_value([(7, 3), (3, 5)], 26, 4, 0.9) == critical_value([(0, 1), (0, 2)], 26, 4, 0.9)


def test_when_a_variance_is_computed_then_it_is_the_one_that_resampling_would_give():
    values = np.random.default_rng(0).normal(size=(1, 2, 11))
    drawn = block_counts(11, 4, 60_000, 0) @ values[0].T / 11
    assert block_variance(values, 4)[0] == pytest.approx(np.cov(drawn.T), rel=0.03)


def test_when_neighbours_are_summed_then_each_window_is_there_once():
    values = np.random.default_rng(0).normal(size=(2, 3, 9))
    for size in (1, 2, 9):
        expected = np.stack([values[:, :, i : i + size].sum(axis=2) for i in range(10 - size)], axis=2)
        assert moving_sum(values, size) == pytest.approx(expected)


def test_when_forecasts_overlap_then_more_is_asked_of_the_same_blocks():
    by_horizon = [critical_value(pairs(3), 52, 8, 0.95, horizon) for horizon in (1, 4, 8)]
    assert by_horizon == sorted(by_horizon)
    assert by_horizon[2] > 1.2 * by_horizon[0]


@pytest.mark.parametrize(("weeks", "horizon"), [(12, 1), (26, 1), (26, 4)])
def test_when_all_models_are_equal_and_one_series_rules_then_few_test_blocks_show_a_difference(
    make_scores, weeks, horizon
):
    """Any pair of five, at a nominal 5 %; benchmarks/false_positives.py has more worlds and test blocks."""
    rng = np.random.default_rng(3)
    trials, false = 200, 0
    scale = np.r_[3.0, np.ones(9)][:, None]
    for trial in range(trials):
        common, own = rng.normal(size=(10, weeks + horizon)), rng.normal(size=(5, 10, weeks + horizon))
        errors = scale * (0.8 * common + 0.6 * own)
        squared = sum(
            (moving_sum(errors, step)[..., -weeks:] ** 2).sum(axis=1) for step in range(1, horizon + 1)
        )
        scores = [
            make_scores(str(place), [np.sqrt(one.mean())], squared=one[None], horizon=horizon)
            for place, one in enumerate(squared)
        ]
        found = difference_intervals(draw_rmse(scores, 4, 200, trial), pairs(5), 0.95)
        false += any(one.family_low > 0 or one.family_high < 0 for one in found)
    assert false <= stats.binom.ppf(0.999, trials, 0.06)


def test_when_one_model_is_clearly_better_then_it_is_found_on_few_weeks(make_scores):
    rng = np.random.default_rng(4)
    trials, found = 100, 0
    for trial in range(trials):
        errors = rng.normal(size=(5, 10, 26))
        errors[0] *= 0.7
        scores = [
            make_scores(str(place), [np.sqrt(one.mean())], squared=one[None])
            for place, one in enumerate((errors**2).sum(axis=1))
        ]
        intervals = difference_intervals(draw_rmse(scores, 4, 200, trial), pairs(5), 0.95)
        found += sum(one.family_high < 0 for one in intervals[:4])
    assert found > 0.8 * 4 * trials
