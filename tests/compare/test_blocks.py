"""Moving blocks: what a resample is, hand-computed figures, coverage, and too short a test block."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from panelbench.compare.blocks import (
    block_counts,
    block_for,
    difference_intervals,
    draw_rmse,
    percentile_interval,
    rmse_intervals,
    too_short,
)


@given(st.integers(2, 40), st.integers(1, 10), st.integers(0, 2**31))
def test_when_resampled_then_every_resample_has_as_many_periods_as_the_test_block(n, length, seed):
    length = min(length, n)
    counts = block_counts(n, length, 20, seed)
    assert counts.shape == (20, n)
    assert (counts.sum(axis=1) == n).all()
    assert (counts >= 0).all()


def test_when_a_block_is_two_periods_then_resamples_are_made_of_neighbours():
    counts = block_counts(4, 2, 500, 0)
    possible = {
        tuple(np.bincount([*first, *second], minlength=4))
        for first in ((0, 1), (1, 2), (2, 3))
        for second in ((0, 1), (1, 2), (2, 3))
    }
    assert {tuple(row) for row in counts.astype(int)} == possible


def test_when_the_last_block_does_not_fit_then_it_is_cut():
    counts = block_counts(3, 2, 500, 0)
    # blocks start at 0 or 1; the second is cut to its first period
    assert {tuple(row) for row in counts.astype(int)} == {(2, 1, 0), (1, 2, 0), (1, 1, 1), (0, 2, 1)}


def test_when_the_seed_is_the_same_then_so_are_the_resamples():
    assert (block_counts(26, 4, 50, 3) == block_counts(26, 4, 50, 3)).all()
    assert (block_counts(26, 4, 50, 3) != block_counts(26, 4, 50, 4)).any()


def test_when_resampled_then_rmse_is_pooled_by_seed_and_averaged_over_seeds(make_scores):
    squared = np.array([[1.0, 9.0, 4.0, 16.0], [4.0, 4.0, 4.0, 4.0]])
    scores = make_scores("a", np.sqrt(squared.mean(axis=1)), squared=squared)
    draws = draw_rmse([scores], 2, 100, 0)
    counts = block_counts(4, 2, 100, 0)
    expected = [(np.sqrt(c @ squared[0] / 4) + np.sqrt(c @ squared[1] / 4)) / 2 for c in counts]
    assert draws.values[:, 0] == pytest.approx(expected)
    assert draws.estimates[0] == pytest.approx((np.sqrt(7.5) + 2) / 2)


def test_when_periods_have_different_numbers_of_rows_then_rmse_is_still_pooled(make_scores):
    scores = make_scores("a", [1.0], squared=np.array([[1.0, 6.0, 2.0, 3.0]]))
    object.__setattr__(scores, "rows_by_period", np.array([1.0, 3.0, 2.0, 1.0]))
    draws = draw_rmse([scores], 1, 50, 0)
    counts = block_counts(4, 1, 50, 0)
    assert draws.values[:, 0] == pytest.approx(np.sqrt((counts @ [1, 6, 2, 3]) / (counts @ [1, 3, 2, 1])))


@pytest.mark.parametrize(("n_periods", "length"), [(1, 1), (7, 4), (0, 1), (3, 4)])
def test_when_the_test_block_is_too_short_then_there_is_no_interval_and_the_reason_is_named(
    make_scores, n_periods, length
):
    assert str(n_periods) in too_short(n_periods, length)
    scores = [make_scores(name, [2.0], squared=np.full((1, max(n_periods, 1)), 4.0)) for name in "ab"]
    draws = draw_rmse(scores, max(length, n_periods), 100, 0)
    intervals = rmse_intervals(draws, 0.95) + difference_intervals(draws, [(0, 1)], 0.95)
    assert all(one.low is None and one.reason for one in intervals)
    assert [one.estimate for one in intervals] == [2.0, 2.0, 0.0]


def test_when_two_blocks_fit_then_the_test_block_is_long_enough():
    assert too_short(8, 4) is None
    assert too_short(2, 1) is None


def test_when_resampled_figures_are_1_to_100_then_the_percentiles_are_the_known_ones():
    assert percentile_interval(np.arange(101.0), 0.9) == pytest.approx((5.0, 95.0))


@pytest.mark.parametrize(("horizon", "length"), [(1, 4), (4, 4), (6, 6), (24, 24)])
def test_when_forecasts_span_several_steps_then_a_block_holds_those_that_depend_on_each_other(
    horizon, length
):
    assert block_for(4, horizon) == length


def test_when_losses_are_identical_then_the_difference_and_its_intervals_are_zero(make_scores):
    squared = np.random.default_rng(0).random((1, 12))
    twins = [make_scores(name, np.sqrt(squared.mean(axis=1)), squared=squared) for name in "ab"]
    result = difference_intervals(draw_rmse(twins, 3, 200, 0), [(0, 1)], 0.95)[0]
    assert (result.estimate, result.low, result.high) == (0.0, 0.0, 0.0)
    assert (result.family_low, result.family_high) == (0.0, 0.0)


def test_when_a_pair_is_turned_round_then_its_intervals_are_mirrored(make_scores):
    rng = np.random.default_rng(1)
    two = [make_scores(n, [1.0], squared=s) for n, s in zip("ab", rng.random((2, 1, 20)), strict=True)]
    draws = draw_rmse(two, 2, 300, 0)
    one, other = (difference_intervals(draws, [pair], 0.9)[0] for pair in ((0, 1), (1, 0)))
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert (one.family_low, one.family_high) == pytest.approx((-other.family_high, -other.family_low))


def test_when_the_family_grows_then_its_simultaneous_intervals_do_not_shrink(make_scores):
    rng = np.random.default_rng(2)
    three = [make_scores(n, [1.0], squared=s) for n, s in zip("abc", rng.random((3, 1, 30)), strict=True)]
    draws = draw_rmse(three, 2, 400, 0)
    alone = difference_intervals(draws, [(0, 1)], 0.95)[0]
    family = difference_intervals(draws, [(0, 1), (0, 2), (1, 2)], 0.95)[0]
    assert family.family_high - family.family_low >= alone.family_high - alone.family_low
    assert (family.low, family.high) == (alone.low, alone.high)


def test_when_nothing_is_compared_then_nothing_is_returned():
    assert difference_intervals(draw_rmse([], 2, 100, 0), [], 0.95) == []


def test_when_two_models_are_equally_good_then_intervals_cover_zero_about_as_often_as_stated(make_scores):
    """104 independent periods in blocks of 2: pointwise and simultaneous intervals of three equal models."""
    rng = np.random.default_rng(5)
    trials, point, together = 300, 0, 0
    for trial in range(trials):
        shared = rng.normal(size=104)
        losses = np.exp(0.5 * (shared + 0.6 * rng.normal(size=(3, 104))))
        scores = [
            make_scores(n, [np.sqrt(loss.mean())], squared=loss[None])
            for n, loss in zip("abc", losses, strict=True)
        ]
        intervals = difference_intervals(draw_rmse(scores, 2, 300, trial), [(0, 1), (0, 2), (1, 2)], 0.9)
        point += intervals[0].low <= 0 <= intervals[0].high
        together += all(one.family_low <= 0 <= one.family_high for one in intervals)
    low, high = stats.binom.interval(0.999, trials, 0.9)
    assert low <= point <= high
    assert low <= together <= high


def test_when_one_model_is_clearly_better_then_the_interval_covers_the_true_difference(make_scores):
    rng = np.random.default_rng(6)
    true = 3.0 - 2.0
    trials, hits, found = 300, 0, 0
    for trial in range(trials):
        errors = rng.normal(size=(2, 60, 20)) * np.array([3.0, 2.0])[:, None, None]
        squared = (errors**2).mean(axis=2)
        scores = [
            make_scores(n, [np.sqrt(s.mean())], squared=s[None]) for n, s in zip("ab", squared, strict=True)
        ]
        result = difference_intervals(draw_rmse(scores, 3, 300, trial), [(0, 1)], 0.9)[0]
        hits += result.low <= true <= result.high
        found += result.family_low > 0
    low, high = stats.binom.interval(0.999, trials, 0.9)
    assert low <= hits <= high
    assert found == trials
