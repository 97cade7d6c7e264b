"""Interquartile mean and probability of improvement: hand-computed, and seeds resampled whole."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import trim_mean

from panelbench.compare import robust
from panelbench.compare.robust import improvement, interquartile_mean, iqm_interval, seed_counts, win_rates


def test_when_eight_values_then_the_middle_four_are_averaged():
    assert interquartile_mean(np.array([100.0, 1, 2, 3, 4, 5, 6, -50])) == (2 + 3 + 4 + 5) / 4


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_when_any_values_then_it_is_the_25_percent_trimmed_mean(values):
    expected = trim_mean(values, 0.25)
    assert interquartile_mean(np.array(values)) == pytest.approx(expected, rel=1e-9, abs=1e-6)


@given(st.lists(st.tuples(st.floats(0, 10), st.integers(0, 4)), min_size=1, max_size=15))
def test_when_values_have_weights_then_it_is_as_if_they_were_repeated(pairs):
    values, weights = (np.array(part, dtype=float) for part in zip(*pairs, strict=True))
    if weights.sum() == 0:
        weights = weights + 1
    repeated = np.repeat(values, weights.astype(int))
    assert interquartile_mean(values, weights) == pytest.approx(interquartile_mean(repeated), abs=1e-9)


def test_when_seeds_are_resampled_then_each_resample_has_as_many(make_scores):
    counts = seed_counts(6, 100, 0)
    assert (counts.sum(axis=1) == 6).all()
    assert (seed_counts(6, 100, 0) == counts).all()


def test_when_every_series_of_a_seed_is_the_same_then_the_interval_is_that_of_its_iqm(make_scores):
    scores = make_scores("a", [1.0, 2.0, 3.0], scaled=np.array([[1.0] * 4, [2.0] * 4, [3.0] * 4]))
    result = iqm_interval(scores, 0.9, 500, 0)
    assert result.estimate == 2.0
    draws = [
        interquartile_mean(np.repeat([1.0, 2.0, 3.0], row.astype(int) * 4)) for row in seed_counts(3, 500, 0)
    ]
    assert (result.low, result.high) == pytest.approx(tuple(np.quantile(draws, [0.05, 0.95])))


def test_when_a_series_has_no_scaled_error_then_the_others_count(make_scores):
    scaled = np.array([[1.0, np.nan, 3.0], [1.0, np.nan, 3.0]])
    assert iqm_interval(make_scores("a", [1.0, 1.0], scaled=scaled), 0.95, 100, 0).estimate == 2.0
    empty = iqm_interval(make_scores("a", [1.0], scaled=np.array([[np.nan]])), 0.95, 100, 0)
    assert empty.estimate is None


@pytest.mark.parametrize(("rmse", "deterministic"), [([1.0], True), ([1.0], False)])
def test_when_there_are_no_seeds_to_resample_then_there_is_no_interval(make_scores, rmse, deterministic):
    result = iqm_interval(make_scores("a", rmse, deterministic=deterministic), 0.95, 100, 0)
    assert (result.estimate, result.low, result.high) == (1.0, None, None)
    assert result.reason


def test_when_runs_are_compared_then_the_shares_are_the_hand_counted_ones():
    a = np.array([[1.0, 5.0], [2.0, 2.0]])
    b = np.array([[2.0, 4.0], [3.0, 3.0], [0.0, 0.0]])
    assert win_rates(a, b).tolist() == [[0.5, 0.5, 0.0], [0.75, 1.0, 0.0]]


def test_when_there_are_too_many_cells_then_the_shares_are_the_same_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    a, b = rng.random((5, 7)), rng.random((4, 7))
    whole = win_rates(a, b)
    monkeypatch.setattr(robust, "CELLS", 1)
    assert (win_rates(a, b) == whole).all()


def test_when_compared_then_the_estimate_is_over_all_pairs_of_runs_and_series(make_scores):
    rng = np.random.default_rng(1)
    a, b = rng.random((3, 5)), rng.random((4, 5))
    expected = np.mean([x[s] < y[s] for x, y, s in itertools.product(a, b, range(5))])
    first = make_scores("a", a.mean(axis=1), scaled=a)
    second = make_scores("b", b.mean(axis=1), scaled=b)
    result = improvement(first, second, 0.95, 300, 0)
    assert result.estimate == pytest.approx(expected)
    assert result.low <= result.estimate <= result.high
    assert improvement(second, first, 0.95, 300, 0).estimate == pytest.approx(1 - expected)


def test_when_one_is_always_lower_then_the_probability_is_one(make_scores):
    result = improvement(make_scores("a", [1.0, 1.1]), make_scores("b", [2.0, 2.1]), 0.95, 100, 0)
    assert (result.estimate, result.low, result.high) == (1.0, 1.0, 1.0)


def test_when_forecasts_are_identical_then_the_probability_is_one_half(make_scores):
    same = make_scores("a", [1.0], deterministic=True)
    result = improvement(same, same, 0.95, 100, 0)
    assert (result.estimate, result.low) == (0.5, None)
    assert "both are deterministic" in result.reason


def test_when_one_is_deterministic_then_only_the_other_is_resampled(make_scores):
    fixed = make_scores("f", [2.0], deterministic=True)
    noisy = make_scores("n", [1.0, 3.0, 1.0, 3.0])
    result = improvement(noisy, fixed, 0.95, 1000, 0)
    assert result.estimate == 0.5
    assert 0.0 <= result.low < 0.5 < result.high <= 1.0


def test_when_a_network_has_one_seed_then_there_is_no_interval(make_scores):
    result = improvement(make_scores("a", [1.0]), make_scores("b", [2.0, 2.5]), 0.95, 100, 0)
    assert (result.estimate, result.low) == (1.0, None)
    assert "one seed" in result.reason


def test_when_no_series_is_scaled_then_there_is_no_probability(make_scores):
    scores = make_scores("a", [1.0], scaled=np.array([[np.nan, np.nan]]))
    assert improvement(scores, scores, 0.95, 100, 0).estimate is None
