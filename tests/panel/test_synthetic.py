from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from panelbench.errors import InputError
from panelbench.panel import Panel, load_panel
from panelbench.panel.fetch import fetch
from panelbench.panel.prepare import prepare


def make(tmp_path: Path, **keys: object) -> Panel:
    settings = {"source": "synthetic", **keys}
    fetch(settings, tmp_path / "raw")
    prepare(settings, tmp_path / "raw", tmp_path / "p.parquet", tmp_path / "p.json")
    return load_panel(tmp_path / "p.parquet", tmp_path / "p.json")


def test_build_when_the_seed_is_the_same_then_the_bytes_are_and_another_seed_differs(tmp_path):
    first, same, other = (make(tmp_path / name, seed=seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert first.info.sha256 == same.info.sha256
    assert first.info.sha256 != other.info.sha256


def test_build_when_it_is_weekly_then_there_are_four_channels_and_the_asked_for_size(tmp_path):
    panel = make(tmp_path, series=7, steps=110)
    assert panel.y.shape == (7, 110)
    assert panel.info.future == ("promo_days", "school_holiday_days", "open_days")
    assert set(np.unique(panel.future[:, :, 2])) == {6.0, 7.0}
    assert (panel.y >= 0).all()


def test_build_when_there_is_no_noise_then_promotions_raise_sales_and_the_year_repeats(tmp_path):
    panel = make(tmp_path, series=12, steps=156, noise=0.0)
    log = np.log(panel.y / panel.future[:, :, 2])
    promo = panel.future[:, :, 0] > 0
    change = log[:, 52:] - log[:, :-52]
    switched_on = promo[:, 52:] & ~promo[:, :-52]
    assert change[switched_on].mean() > 0.1
    assert abs(change[promo[:, 52:] == promo[:, :-52]].mean()) < 0.02


def test_build_when_a_trend_is_set_then_sales_grow_by_it_each_season(tmp_path):
    panel = make(tmp_path, series=12, steps=156, noise=0.0, trend=0.5)
    log = np.log(panel.y / panel.future[:, :, 2])
    assert np.median(log[:, 52:] - log[:, :-52]) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(("frequency", "season"), [("D", 7), ("h", 24), ("MS", 12), ("QS", 4), ("W-SUN", 52)])
def test_build_when_the_frequency_differs_then_the_season_follows_it(tmp_path, frequency, season):
    panel = make(tmp_path, series=2, steps=30, frequency=frequency)
    assert (panel.info.frequency, panel.info.season) == (frequency, season)


def test_build_when_the_season_is_given_then_it_wins(tmp_path):
    assert make(tmp_path, series=2, steps=30, frequency="D", season=365).info.season == 365


def test_build_when_the_dates_run_out_then_it_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"panel\.steps is 100000"):
        make(tmp_path, series=1, steps=100_000)
