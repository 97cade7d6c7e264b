"""Folds never look ahead in time, and the course's folds are what they were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelbench.errors import InputError
from panelbench.models.folds import period_folds, row_folds


@given(
    periods=st.integers(20, 60), series=st.integers(1, 5), splits=st.integers(2, 5), step=st.integers(1, 3)
)
def test_when_folds_are_cut_over_periods_then_every_training_target_is_known_at_the_first_held_out_origin(
    periods, series, splits, step
):
    origin = np.tile(np.arange(periods), series)

    folds = period_folds(origin, splits, step)

    assert len(folds) == splits
    for early, late in folds:
        assert origin[early].max() + step <= origin[late].min()
        assert len(np.unique(origin[late])) * series == len(late)
        assert len(np.unique(origin[early])) * series == len(early)
    held_out = np.concatenate([late for _, late in folds])
    assert len(np.unique(held_out)) == len(held_out)


def test_when_folds_are_cut_over_series_sorted_rows_then_whole_series_are_held_out():
    series = np.repeat(np.arange(6), 10)

    folds = row_folds(60, 5)

    assert [sorted(set(series[late])) for _, late in folds] == [[1], [2], [3], [4], [5]]
    assert [sorted(set(series[early])) for early, _ in folds][-1] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("cut", [lambda: period_folds(np.arange(5), 5), lambda: row_folds(5, 5)])
def test_when_there_is_too_little_to_fold_then_it_is_said(cut):
    with pytest.raises(InputError, match="too few for 5 folds"):
        cut()
