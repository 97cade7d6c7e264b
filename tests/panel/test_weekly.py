from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from panelbench.panel.weekly import full_weeks, weekly_sums

days = st.dates(pd.Timestamp("2000-01-01").date(), pd.Timestamp("2030-12-31").date())


@settings(deadline=None)
@given(first=days, count=st.integers(1, 60))
def test_full_weeks_when_days_are_consecutive_then_every_full_week_is_kept_and_nothing_else(first, count):
    dates = pd.date_range(first, periods=count)
    starts, inside = full_weeks(dates.to_numpy("datetime64[D]"))
    expected = [day for day in dates if day.day_of_week == 0 and day + pd.Timedelta(days=6) in dates]
    assert list(pd.DatetimeIndex(starts)) == expected
    assert list(dates[inside]) == [start + pd.Timedelta(days=n) for start in expected for n in range(7)]


def test_full_weeks_when_there_is_no_day_then_there_is_no_week():
    starts, inside = full_weeks(np.array([], dtype="datetime64[D]"))
    assert len(starts) == 0
    assert inside == slice(0, 0)


@settings(deadline=None)
@given(
    first=days,
    present=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40),
    seed=st.integers(0, 2**16),
)
def test_weekly_sums_when_days_are_missing_then_only_whole_weeks_are_added_up(first, present, seed):
    rng = np.random.default_rng(seed)
    rows = [
        (store, pd.Timestamp(first) + pd.Timedelta(days=offset), int(rng.integers(0, 100)))
        for offset, flags in enumerate(present)
        for store, there in zip((2, 1), flags, strict=True)
        if there
    ]
    daily = pd.DataFrame(rows, columns=["store", "day", "units"]).astype({"day": "datetime64[ns]"})
    got = weekly_sums(daily.sample(frac=1, random_state=seed % 1000), ["store"], "day", {"y": "units"})
    by_week: dict[tuple[int, pd.Timestamp], list[int]] = {}
    for store, day, units in rows:
        by_week.setdefault((store, day - pd.Timedelta(days=day.day_of_week)), []).append(units)
    expected = sorted(
        (store, week, sum(units)) for (store, week), units in by_week.items() if len(units) == 7
    )
    assert list(got[["store", "ds", "y"]].itertuples(index=False, name=None)) == expected
