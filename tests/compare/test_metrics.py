"""Metrics: hand-computed values, undefined cases, and sums that agree with the pooled figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from panelbench.compare.metrics import (
    DEFINITIONS,
    bias,
    mae,
    naive_scale,
    nanmean,
    rmse,
    rmsse,
    score,
    sums_by,
    wape,
)
from panelbench.compare.rows import Rows

Y = np.array([10.0, 20.0, 30.0, 40.0])
FORECAST = np.array([12.0, 20.0, 26.0, 40.0])


def make_rows(y: np.ndarray, n_series: int = 2, n_periods: int = 2) -> Rows:
    series, period = np.divmod(np.arange(y.size), n_periods)
    dates = np.array(["2020-01-06", "2020-01-13", "2020-01-20"], dtype="datetime64[ns]")[:n_periods]
    names = tuple("abcdef"[:n_series])
    return Rows(series, period, np.ones(y.size, dtype=np.int64), y, names, dates, start=3)


def test_when_errors_are_2_0_4_0_then_each_metric_has_its_hand_computed_value():
    assert rmse(Y, FORECAST) == pytest.approx(np.sqrt(20 / 4))
    assert mae(Y, FORECAST) == pytest.approx(6 / 4)
    assert wape(Y, FORECAST) == pytest.approx(6 / 100)
    assert bias(Y, FORECAST) == pytest.approx((2 - 4) / 4)


def test_when_there_are_seeds_then_each_has_its_own_value():
    both = np.stack([FORECAST, Y])
    assert rmse(Y, both) == pytest.approx([np.sqrt(5), 0.0])
    assert wape(Y, both) == pytest.approx([0.06, 0.0])


def test_when_all_actual_values_are_zero_then_wape_is_undefined():
    assert np.isnan(wape(np.zeros(3), np.ones(3)))


def test_when_actual_values_are_negative_then_wape_divides_by_their_size():
    assert wape(np.array([-10.0, 10.0]), np.array([-9.0, 10.0])) == pytest.approx(1 / 20)


def test_when_a_series_moves_by_known_steps_then_its_scale_is_their_mean_square():
    past = np.array([[1.0, 3.0, 2.0], [5.0, 5.0, 5.0]])
    scale = naive_scale(past)
    assert scale[0] == pytest.approx((4 + 1) / 2)
    assert np.isnan(scale[1])


def test_when_there_is_one_past_value_then_no_scale_is_defined():
    assert np.isnan(naive_scale(np.ones((2, 1)))).all()


def test_when_the_forecast_repeats_the_last_value_like_the_past_then_rmsse_is_one():
    past = np.array([[0.0, 2.0, 0.0, 2.0]])
    assert rmsse(np.array([4.0]), naive_scale(past)) == pytest.approx(1.0)


def test_when_some_entries_are_undefined_then_nanmean_uses_the_others():
    values = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan]])
    result = nanmean(values)
    assert result[0] == 2.0
    assert np.isnan(result[1])


def test_when_summed_by_code_then_each_seed_is_summed_apart():
    result = sums_by(np.array([0, 2, 0]), 3, np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
    assert result.tolist() == [[4.0, 0.0, 2.0], [40.0, 0.0, 20.0]]


def test_when_scored_then_every_figure_is_the_hand_computed_one():
    past = np.array([[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])  # scales 1 and 4
    scores = score("m", (7,), False, make_rows(Y), FORECAST[None], past)
    # series a: errors 2, 0 -> mse 2, scaled sqrt(2); series b: -4, 0 -> mse 8, scaled sqrt(2)
    assert scores.values["rmsse"] == pytest.approx([np.sqrt(2)])
    assert scores.squared_by_series.tolist() == [[4.0, 16.0]]
    assert scores.squared.tolist() == [[20.0, 0.0]]
    assert scores.loss.tolist() == [10.0, 0.0]
    assert scores.rmse_by_step == pytest.approx(np.sqrt([[5.0]]))
    assert set(scores.values) == set(DEFINITIONS)


def test_when_a_series_never_changed_then_rmsse_is_the_mean_of_the_others():
    past = np.array([[0.0, 1.0, 0.0], [3.0, 3.0, 3.0]])
    scores = score("m", (0,), False, make_rows(Y), FORECAST[None], past)
    assert scores.values["rmsse"] == pytest.approx([np.sqrt(2)])
    assert np.isnan(scores.scaled[0, 1])


def test_when_a_series_has_no_test_row_then_it_is_left_out_of_the_scaled_mean():
    rows = make_rows(Y, n_series=3)
    past = np.array([[0.0, 1.0, 0.0]] * 3)
    assert np.isfinite(score("m", (0,), False, rows, FORECAST[None], past).values["rmsse"]).all()


finite = st.integers(-(10**6), 10**6).map(float)


@given(hnp.arrays(np.float64, (2, 6), elements=finite), hnp.arrays(np.float64, 6, elements=finite))
def test_when_sums_by_period_series_and_step_are_added_up_then_they_give_the_pooled_rmse(y_hat, y):
    rows = make_rows(y, n_series=2, n_periods=3)
    scores = score("m", (0, 1), False, rows, y_hat, np.array([[0.0, 1.0], [0.0, 1.0]]))
    for parts in (scores.squared, scores.squared_by_series):
        assert np.sqrt(parts.sum(axis=1) / 6) == pytest.approx(scores.rmse, rel=1e-9, abs=1e-9)
    assert (scores.rmse >= scores.values["mae"] - 1e-6).all()
    assert (np.abs(scores.values["bias"]) <= scores.values["mae"] + 1e-6).all()
