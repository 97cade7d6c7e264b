from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from panelbench.compare import panel_facts
from panelbench.errors import InputError
from panelbench.panel.panel import Panel, PanelInfo
from tests.helpers.panels import make_panel


@pytest.fixture(scope="module")
def m5(m5_csv) -> Panel:
    frame = pd.read_csv(m5_csv)
    frame = frame.assign(
        unique_id=frame["store_id"] + "_" + frame["cat_id"],
        ds=pd.to_datetime(frame["week_start"]),
        y=frame["units"].astype(float),
    ).sort_values(["unique_id", "ds"])
    info = PanelInfo(
        source="m5", title="M5", target_name="units", unit="units", frequency="W-MON", season=52, n_series=30,
        n_steps=277, n_rows=8310, start="", end="", future=("snap_days", "event_days", "avg_price"),
    )  # fmt: skip
    return Panel.from_frame(frame, info)


def test_when_the_panel_is_the_lectures_then_the_published_shares_and_autocorrelations_come_out(m5):
    assert round(panel_facts.between_series_share(m5), 3) == 0.910
    found = [round(panel_facts.mean_autocorrelation(m5, lag), 3) for lag in (1, 4, 13, 26, 52)]
    assert found == [0.828, 0.824, 0.695, 0.575, 0.432]


@pytest.mark.parametrize(
    ("covariate", "published"),
    [("snap_days", (0.143, 0.030, -0.128, 0.116)), ("event_days", (0.004, 0.023, -0.009, -0.009))],
)
def test_when_the_panel_is_the_lectures_then_the_published_lead_correlations_come_out(
    m5, covariate, published
):
    found = [panel_facts.lead_correlation(m5, covariate, lead) for lead in (0, 1, 2, 4)]
    assert found == pytest.approx(published, abs=0.00055)


def test_when_every_series_has_its_own_constant_then_all_variance_lies_between():
    panel = make_panel(series=4, steps=30)
    flat = replace(panel, y=np.repeat(np.array([[1.0], [2.0], [5.0], [9.0]]), 30, axis=1))
    assert panel_facts.between_series_share(flat) == pytest.approx(1.0)
    assert np.isnan(panel_facts.mean_autocorrelation(flat, 1))
    assert np.isnan(panel_facts.between_series_share(replace(flat, y=np.ones((4, 30)))))


def test_when_pandas_is_asked_then_it_agrees():
    panel = make_panel(series=3, steps=40)
    expected = np.mean([pd.Series(series).autocorr(5) for series in panel.y])
    assert panel_facts.mean_autocorrelation(panel, 5) == pytest.approx(expected)


def test_when_a_covariate_leads_by_two_then_the_correlation_is_found_there_and_nowhere_else():
    panel = make_panel(series=3, steps=80)
    y = np.random.default_rng(1).normal(size=panel.y.shape)
    future = panel.future.copy()
    future[:, :-2, 0] = y[:, 2:]
    led = replace(panel, y=y, future=future)
    assert panel_facts.lead_correlation(led, "promo", 2) == pytest.approx(1.0)
    assert abs(panel_facts.lead_correlation(led, "promo", 0)) < 0.3
    assert panel_facts.largest_lead_correlation(led, "promo", (0, 2)) == pytest.approx(1.0)


def test_when_the_covariate_or_lag_does_not_exist_then_the_message_says_what_does():
    panel = make_panel()
    with pytest.raises(InputError, match="It has: promo, holiday, past_0"):
        panel_facts.lead_correlation(panel, "snap", 0)
    with pytest.raises(InputError, match="does not fit a panel of 120 periods"):
        panel_facts.mean_autocorrelation(panel, 119)
