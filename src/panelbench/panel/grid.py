"""The regular periods of a panel: which dates are on them, and what a frequency looks like in words."""

from __future__ import annotations

import pandas as pd

from panelbench.panel.settings import SEASONS

FIRST_YEAR, LAST_YEAR = 1700, 2200
"""Dates outside are typing errors; nanoseconds, which dates are stored in, end in 2262."""
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
    if len(distinct) < 3:
        return None
    found = pd.infer_freq(distinct)
    if found is None:
        return None
    known = {"QS-JAN": "QS", "QS-OCT": "QS", "YS-JAN": "YS", "30T": "30min", "15T": "15min"}.get(found, found)
    return known if known in SEASONS or known.startswith("W-") else None


def weekdays(dates: pd.Series) -> list[str]:
    """Return the names of the weekdays that occur in `dates`, most frequent first."""
    return [str(name) for name in dates.dt.day_name().value_counts().index]
