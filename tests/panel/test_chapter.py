from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from panelbench.data.calendar import calendar_columns, period_word
from panelbench.panel import Panel, load_panel
from panelbench.panel.fetch import fetch
from panelbench.panel.prepare import prepare


def make(tmp_path, **keys) -> Panel:
    settings = {"source": "chapter", **keys}
    fetch(settings, tmp_path / "raw")
    prepare(settings, tmp_path / "raw", tmp_path / "p.parquet", tmp_path / "p.json")
    return load_panel(tmp_path / "p.parquet", tmp_path / "p.json")


def test_build_when_there_is_no_noise_then_it_is_the_formula(tmp_path):
    panel = make(tmp_path, noise=0.0)
    t = np.arange(4000)
    expected = np.sin(2 * np.pi * t / 24) + 0.5 * np.sin(2 * np.pi * t / 168) + 0.001 * t
    np.testing.assert_allclose(panel.y, expected[None], rtol=0, atol=1e-12)


def test_build_when_the_noise_is_taken_off_then_it_has_the_stated_spread(tmp_path):
    clean, noisy = make(tmp_path / "a", noise=0.0).y, make(tmp_path / "b").y
    assert (noisy - clean).std() == pytest.approx(0.3, rel=0.05)


def test_build_when_the_seed_differs_then_the_noise_does(tmp_path):
    first, same, other = (make(tmp_path / name, seed=seed) for name, seed in (("a", 0), ("b", 0), ("c", 1)))
    assert first.info.sha256 == same.info.sha256 != other.info.sha256


def test_build_when_it_is_hourly_then_dates_season_and_calendar_are(tmp_path):
    panel = make(tmp_path, steps=50)
    assert (panel.info.frequency, panel.info.season, period_word(panel.info.frequency)) == ("h", 24, "hour")
    assert panel.info.end == "2024-01-03 01:00:00"
    assert list(pd.DatetimeIndex(panel.dates).hour[:25]) == [*range(24), 0]
    calendar = calendar_columns(panel.dates, panel.info.frequency)
    np.testing.assert_array_equal(calendar["hour"], np.arange(50) % 24)
    assert list(calendar["day_of_week"][[0, 24, 48]]) == [0, 1, 2]
