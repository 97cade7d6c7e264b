"""Critical values: against the distributions they must be, and how often equal models are told apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from panelbench.compare.blocks import block_counts
from panelbench.compare.critical import block_variance, critical_value


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
