from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panelbench.data import Scaler
from panelbench.data.windows import cut_windows
from tests.helpers.panels import make_panel


def training(steps=100, lookback=8, **options):
    return cut_windows(make_panel(**options), 0, steps, lookback, 1, "past")


@settings(max_examples=30, deadline=None)
@given(lookback=st.integers(1, 30), seed=st.integers(0, 99), keep=st.floats(0.2, 1.0))
def test_when_scaled_globally_then_numbers_equal_those_of_stacked_windows(lookback, seed, keep):
    windows = training(lookback=lookback, seed=seed)
    rows = np.sort(np.random.default_rng(seed).permutation(len(windows))[: max(2, int(keep * len(windows)))])
    windows = windows.take(rows)
    scaler = Scaler.fit(windows, "global", "level")
    stacked = windows.inputs().astype(np.float64)
    np.testing.assert_allclose(scaler.mean[0, 0], stacked.mean(axis=(0, 1)), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scaler.sd[0, 0], stacked.std(axis=(0, 1)), rtol=1e-9)
    assert scaler.y_mean[0] == pytest.approx(windows.y.mean())
    assert scaler.y_sd[0] == pytest.approx(windows.y.std())


def test_when_scaled_by_series_then_each_series_has_its_own_numbers():
    windows = training()
    scaler = Scaler.fit(windows, "series", "level")
    stacked = windows.inputs().astype(np.float64)
    for series in range(3):
        own = stacked[windows.series == series]
        np.testing.assert_allclose(scaler.mean[series, 0], own.mean(axis=(0, 1)), rtol=1e-9)
        np.testing.assert_allclose(scaler.sd[series, 0], own.std(axis=(0, 1)), rtol=1e-9)


def test_when_scaled_by_window_then_each_window_has_mean_zero_and_sd_one():
    windows = training()
    centre, spread = Scaler.fit(windows, "window", "level").inputs(windows)
    at = (windows.series, windows.position)
    scaled = (windows.inputs() - centre[at][:, None]) / spread[at][:, None]
    np.testing.assert_allclose(scaled.mean(axis=1), 0, atol=1e-5)
    np.testing.assert_allclose(scaled[..., 0].std(axis=1), 1, atol=1e-4)


@pytest.mark.parametrize("scaling", ["global", "series", "window", "none"])
@pytest.mark.parametrize("target", ["level", "difference"])
def test_when_the_target_is_scaled_then_undoing_it_restores_the_unit(scaling, target):
    windows = training()
    centre, spread = Scaler.fit(windows, scaling, target).target(windows)
    assert centre.shape == spread.shape == windows.y.shape
    np.testing.assert_allclose(((windows.y - centre) / spread) * spread + centre, windows.y)
    if scaling != "none":
        assert np.abs((windows.y - centre) / spread).mean() < 5


def test_when_the_target_is_a_difference_then_zero_means_the_last_value():
    windows = training()
    centre, _ = Scaler.fit(windows, "window", "difference").target(windows)
    np.testing.assert_array_equal(centre, windows.history(1))


@pytest.mark.parametrize("scaling", ["global", "series", "window", "none"])
def test_when_a_series_is_constant_then_scaling_stays_finite(scaling):
    panel = make_panel(series=2)
    panel.y[:] = 7.0
    panel.future[:] = 0.0
    windows = cut_windows(panel, 0, 100, 8, 1, "past")
    scaler = Scaler.fit(windows, scaling, "level")
    for part in (*scaler.inputs(windows), *scaler.target(windows)):
        assert np.isfinite(part).all()
    assert (scaler.target(windows)[1] > 0).all()


def test_when_later_periods_are_scored_then_the_training_scale_is_used():
    panel = make_panel()
    train = cut_windows(panel, 0, 60, 8, 1, "past")
    later = cut_windows(panel, 60, 120, 8, 1, "past")
    scaler = Scaler.fit(train, "global", "level")
    np.testing.assert_array_equal(scaler.inputs(later)[0], scaler.inputs(train)[0])
    assert scaler.target(later)[0][0, 0] == train.y.mean()


def test_when_nothing_is_scaled_then_every_number_stays_as_it_is():
    windows = training()
    scaler = Scaler.fit(windows, "none", "level")
    centre, spread = scaler.inputs(windows)
    np.testing.assert_array_equal((windows.values - centre) / spread, windows.values)
    centre, spread = scaler.target(windows)
    np.testing.assert_array_equal((windows.y - centre) / spread, windows.y)
