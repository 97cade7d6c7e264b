"""Where the error is: shares that add up, hand-computed tables, undefined cases."""

from __future__ import annotations

import numpy as np
import pytest

from panelbench.compare.metrics import score
from panelbench.compare.slices import by_period, by_series, error_shares, scaled_quartiles, top_series
from tests.compare.test_metrics import FORECAST, Y, make_rows

PAST = np.array([[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])


@pytest.fixture
def scores():
    return score("m", (0, 1), False, make_rows(Y), np.stack([FORECAST, Y + 1]), PAST)


def test_when_sliced_by_series_then_each_row_is_the_mean_over_seeds(scores):
    frame = by_series([scores], make_rows(Y))
    assert frame["series"].tolist() == ["a", "b"]
    assert frame["rmse"].tolist() == pytest.approx([(np.sqrt(2) + 1) / 2, (np.sqrt(8) + 1) / 2])
    assert frame["rmsse"].tolist() == pytest.approx([(np.sqrt(2) + 1) / 2, (np.sqrt(2) + 0.5) / 2])
    assert frame["share"].tolist() == pytest.approx([6 / 24, 18 / 24])


def test_when_sliced_by_period_then_dates_are_named_and_shares_add_up(scores):
    frame = by_period([scores], make_rows(Y))
    assert frame["ds"].tolist() == ["2020-01-06", "2020-01-13"]
    assert frame["rmse"].tolist() == pytest.approx([(np.sqrt(10) + 1) / 2, 0.5])
    assert frame["share"].sum() == pytest.approx(1.0)


def test_when_a_series_has_no_test_row_then_it_has_no_line():
    rows = make_rows(Y, n_series=3)
    scores = score("m", (0,), False, rows, FORECAST[None], np.vstack([PAST, PAST[:1]]))
    assert by_series([scores], rows)["series"].tolist() == ["a", "b"]


def test_when_there_are_many_series_then_the_three_largest_shares_are_named(make_scores):
    scores = make_scores("m", [1.0], scaled=np.sqrt(np.array([[1.0, 4.0, 2.0, 3.0, 0.0]])))
    top = top_series(scores, "abcde")
    assert [one.series for one in top] == ["b", "d", "c"]
    assert [one.share for one in top] == pytest.approx([0.4, 0.3, 0.2])


def test_when_forecasts_are_perfect_then_no_share_is_made_up(make_scores):
    perfect = make_scores("m", [0.0])
    assert np.isnan(error_shares(perfect)).all()
    assert top_series(perfect, "abc") == ()
    scores = score("m", (0,), False, make_rows(Y), Y[None], PAST)
    assert by_period([scores], make_rows(Y))["share"].isna().all()


def test_when_quartiles_are_taken_then_undefined_series_are_left_out(make_scores):
    scores = make_scores("m", [1.0], scaled=np.array([[1.0, 2.0, 3.0, 4.0, 5.0, np.nan]]))
    assert scaled_quartiles(scores) == (1.0, 2.0, 3.0, 4.0, 5.0)
    assert scaled_quartiles(make_scores("m", [1.0], scaled=np.array([[np.nan]]))) == ()
