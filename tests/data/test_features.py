from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panelbench.data import feature_table
from panelbench.data.features import recipe
from panelbench.data.windows import cut_windows
from tests.helpers.panels import make_panel


def test_when_a_season_is_52_then_the_recipes_are_the_courses():
    full, small = recipe("lags46", 52), recipe("lags27", 52)
    assert full.lags == (1, 2, 3, 4, 5, 6, 8, 13, 26, 52)
    assert full.rolling == (4, 13, 26, 52)
    assert full.fourier == 3
    assert (small.lags, small.rolling, small.fourier) == ((1, 2, 3, 4, 52), (), 0)


def test_when_features_are_made_then_they_equal_pandas_shift_and_rolling():
    panel = make_panel(series=2)
    windows = cut_windows(panel, 0, 120, 26, 1, "ahead")
    table = feature_table(windows, "lags46")
    frame = panel.to_frame()
    by = frame.groupby("unique_id")["y"]
    for lag in (1, 8, 52):
        frame[f"lag_{lag}"] = by.shift(lag)
    for width in (4, 52):
        shifted = by.shift(1).groupby(frame["unique_id"])
        frame[f"rolling_mean_{width}"] = shifted.rolling(width).mean().to_numpy()
        frame[f"rolling_sd_{width}"] = shifted.rolling(width).std().to_numpy()
    rows = windows.series * panel.n_steps + windows.origin + 1
    for name in ("lag_1", "lag_8", "lag_52", "rolling_mean_4", "rolling_sd_52", "promo"):
        made = table.steps[0][:, table.names.index(name)]
        np.testing.assert_allclose(made, frame[name].to_numpy()[rows], rtol=1e-9, err_msg=name)


def test_when_the_recipe_is_the_window_then_it_is_what_a_network_sees():
    windows = cut_windows(make_panel(), 0, 60, 8, 1, "past")
    table = feature_table(windows, "window")
    np.testing.assert_array_equal(table.steps[0], windows.inputs().reshape(len(windows), -1))
    assert table.names[0] == "y[t-7]"
    assert table.names[-1] == "holiday[t-0]"


@settings(max_examples=25, deadline=None)
@given(
    target=st.integers(60, 118),
    horizon=st.integers(1, 3),
    covariates=st.sampled_from(["ahead", "past"]),
    name=st.sampled_from(["lags46", "lags27", "window"]),
)
def test_when_a_target_and_all_after_it_change_then_its_features_do_not(target, horizon, covariates, name):
    panel = make_panel(series=2)
    noisy = replace(panel, y=panel.y.copy(), past=panel.past.copy(), future=panel.future.copy())
    noisy.y[:, target:] = 1e9
    noisy.past[:, target:] = 1e9
    noisy.future[:, target + horizon if covariates == "ahead" else target :] = 1e9
    tables = []
    for source in (panel, noisy):
        windows = cut_windows(source, 0, 120, 10, horizon, covariates)
        tables.append(feature_table(windows.take(windows.origin < target), name))
    for before, after in zip(tables[0].steps, tables[1].steps, strict=True):
        np.testing.assert_array_equal(before, after)


def test_when_lags_reach_before_the_start_then_rows_are_marked_incomplete():
    windows = cut_windows(make_panel(series=1), 0, 120, 10, 1, "ahead")
    complete = feature_table(windows, "lags46").complete()
    np.testing.assert_array_equal(complete, windows.origin >= 51)


@pytest.mark.parametrize(
    ("frequency", "season", "expected"),
    [("D", 7, "day_of_week"), ("h", 24, "hour"), ("MS", 12, "month"), ("W-SUN", 52, "week_of_year")],
)
def test_when_the_frequency_differs_then_its_calendar_is_used(frequency, season, expected):
    panel = make_panel()
    dates = pd.date_range("2021-01-03", periods=120, freq=frequency).to_numpy("datetime64[ns]")
    info = panel.info.model_copy(update={"frequency": frequency, "season": season})
    windows = cut_windows(replace(panel, dates=dates, info=info), 0, 120, 5, 1, "ahead")
    table = feature_table(windows, "lags46")
    assert expected in table.names
    assert np.isfinite(table.steps[0][table.complete()]).all()


def test_when_two_steps_are_forecast_then_each_has_its_own_known_ahead_columns():
    panel = make_panel(series=1)
    windows = cut_windows(panel, 0, 120, 5, 2, "ahead")
    table = feature_table(windows, "lags27")
    column = table.names.index("promo")
    for step, made in enumerate(table.steps, start=1):
        np.testing.assert_array_equal(made[:, column], panel.future[0, windows.origin + step, 0])


@pytest.mark.parametrize("name", ["lags46", "lags27", "window"])
def test_when_no_window_is_left_then_the_table_is_empty_and_keeps_its_columns(name):
    windows = cut_windows(make_panel(), 0, 120, 8, 1, "past")
    whole, none = feature_table(windows, name), feature_table(windows.take(slice(0, 0)), name)
    assert none.names == whole.names
    assert none.steps[0].shape == (0, len(whole.names))
