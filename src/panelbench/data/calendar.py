"""Calendar features of a period, by the panel's frequency. All are known any time ahead."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Float = NDArray[np.float64]
SEASONS = {"W": 52, "D": 7, "B": 5, "h": 24, "MS": 12, "ME": 12, "QS": 4, "QE": 4, "YS": 1}
"""Periods in one season, by the frequency's base name."""

PERIODS = {
    "W": "week", "D": "day", "B": "working day", "h": "hour", "30min": "half-hour", "15min": "quarter-hour",
    "MS": "month", "ME": "month", "QS": "quarter", "QE": "quarter", "YS": "year",
}  # fmt: skip
"""What one period is called, by the frequency's base name."""


def period_word(frequency: str) -> str:
    """Return what one period is called in a sentence: "week" for W-MON, "hour" for h."""
    return PERIODS.get(base_frequency(frequency), "period")


def base_frequency(frequency: str) -> str:
    """Return the part of a pandas frequency that names the period: "W" for "W-MON"."""
    return frequency.partition("-")[0]


def calendar_columns(dates: NDArray[np.datetime64], frequency: str) -> dict[str, Float]:
    """Return calendar columns, each (T,): what distinguishes periods of this frequency."""
    index = pd.DatetimeIndex(dates)
    parts = {
        "hour": index.hour,
        "day_of_week": index.day_of_week,
        "day_of_month": index.day,
        "month": index.month,
        "week_of_year": index.isocalendar().week,
        "year": index.year,
    }
    chosen = {
        "W": ("month", "week_of_year", "year"),
        "D": ("day_of_week", "day_of_month", "month", "year"),
        "B": ("day_of_week", "day_of_month", "month", "year"),
        "h": ("hour", "day_of_week", "month", "year"),
    }.get(base_frequency(frequency), ("month", "year"))
    return {name: np.asarray(parts[name], dtype=np.float64) for name in chosen}


def fourier_columns(
    dates: NDArray[np.datetime64], frequency: str, season: int, harmonics: int
) -> dict[str, Float]:
    """Return sine and cosine pairs of the position in the season, each (T,).

    A weekly panel takes its ISO week over 52, as the course does; a season other than the
    frequency's usual one is counted in periods since the panel's start.
    """
    index = pd.DatetimeIndex(dates)
    base = base_frequency(frequency)
    positions = {
        "W": index.isocalendar().week,
        "D": index.day_of_week,
        "B": index.day_of_week,
        "h": index.hour,
        "MS": index.month,
        "ME": index.month,
        "QS": index.quarter,
        "QE": index.quarter,
    }
    usual = base in positions and SEASONS.get(base) == season
    position = np.asarray(positions[base] if usual else np.arange(len(index)), dtype=np.float64)
    columns: dict[str, Float] = {}
    for k in range(1, harmonics + 1):
        angle = 2 * np.pi * k * position / season
        columns[f"sin_{k}"] = np.sin(angle)
        columns[f"cos_{k}"] = np.cos(angle)
    return columns
