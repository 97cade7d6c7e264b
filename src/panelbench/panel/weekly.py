"""Daily rows to Monday weeks: full weeks only."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

DAYS = 7


def monday(dates: pd.Series) -> pd.Series:
    """Return the Monday of each date's week."""
    starts: pd.Series = dates - pd.to_timedelta(dates.dt.day_of_week, unit="D")
    return starts


def weekly_sums(daily: pd.DataFrame, keys: list[str], date: str, sums: Mapping[str, str]) -> pd.DataFrame:
    """Add daily rows up to weeks and keep the weeks that have all seven days.

    Parameters
    ----------
    daily
        One row a key and day; no day twice.
    keys
        Columns that tell the series apart; they are kept.
    date
        Column with the day (datetime).
    sums
        New column -> daily column that is added up.

    Returns
    -------
    DataFrame
        `keys`, `ds` (the Monday) and the new columns, sorted by keys and `ds`.
    """
    table = daily.assign(ds=monday(daily[date]))
    grouped = table.groupby([*keys, "ds"], sort=True, observed=True)
    weeks = grouped[list(sums.values())].sum()
    full = grouped[date].nunique().to_numpy() == DAYS
    weeks.columns = pd.Index(list(sums))
    kept: pd.DataFrame = weeks[full].reset_index()
    return kept


def full_weeks(dates: NDArray[np.datetime64]) -> tuple[NDArray[np.datetime64], slice]:
    """Return the Mondays of the full weeks in consecutive days, and which days those weeks are.

    Parameters
    ----------
    dates
        (D,) consecutive days, ascending, without a gap.

    Returns
    -------
    starts : (W,)
        Mondays.
    days : slice
        The 7 W days of those weeks, so that `values[..., days].reshape(..., W, 7)` groups them.
    """
    if len(dates) == 0:
        return dates[:0], slice(0, 0)
    # 1970-01-01 was a Thursday, the fourth day of a Monday week.
    weekday = (int(dates[0].astype("datetime64[D]").astype(np.int64)) + 3) % DAYS
    first = -weekday % DAYS
    weeks = max((len(dates) - first) // DAYS, 0)
    days = slice(first, first + weeks * DAYS)
    return dates[days][::DAYS], days
