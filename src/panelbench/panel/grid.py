"""The regular periods of a panel: which dates are on them, and what a frequency looks like in words."""

from __future__ import annotations

import pandas as pd

FIRST_YEAR, LAST_YEAR = 1700, 2200
"""Dates outside are typing errors; nanoseconds, which dates are stored in, end in 2262."""
FEWEST = 3
"""Dates below which a frequency cannot be told."""
_WITHIN_A_DAY = ("h", "30min", "15min")


def periods(start: pd.Timestamp, end: pd.Timestamp, frequency: str) -> pd.DatetimeIndex:
    """Return every period start of `frequency` from `start` to `end`, both included where they are one."""
    first = start.floor(frequency) if frequency in _WITHIN_A_DAY else start.normalize()
    return pd.date_range(first, end, freq=frequency)


def show(moment: pd.Timestamp) -> str:
    """Return a date as 2024-01-29, with the time of day only where there is one."""
    return (
        moment.strftime("%Y-%m-%d") if moment == moment.normalize() else moment.strftime("%Y-%m-%d %H:%M:%S")
    )


def guess(dates: pd.Series) -> str | None:
    """Return the frequency that the distinct dates of one series have, if they have exactly one.

    Only frequencies that panels may have are returned.
    """
    distinct = pd.DatetimeIndex(dates.drop_duplicates().sort_values())
    if len(distinct) < FEWEST:
        return None
    first, last = distinct[0], distinct[-1]
    weekly = f"W-{first.day_name()[:3].upper()}"
    for frequency in ("YS", "QS", "MS", weekly, "B", "D", "h", "30min", "15min"):
        if distinct.equals(periods(first, last, frequency).as_unit(distinct.unit)):
            return frequency
    return None


def weekdays(dates: pd.Series) -> list[str]:
    """Return the names of the weekdays that occur in `dates`, most frequent first."""
    return [str(name) for name in dates.dt.day_name().value_counts().index]
