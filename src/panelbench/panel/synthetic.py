"""A made-up retail panel from a seed: levels, an annual wave, promotions, holidays and noise.

One row a series and period. On the log scale the target is the series' level + trend + annual wave +
promotion and holiday effects + noise, times the share of the days that the shop was open.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from panelbench.errors import InputError
from panelbench.panel.draft import Draft
from panelbench.panel.grid import LAST_YEAR
from panelbench.panel.panel import RawFile
from panelbench.panel.settings import SyntheticSettings, default_season

START = pd.Timestamp("2013-01-07")
REGIONS = ("north", "east", "south", "west")
MEAN_LOG_LEVEL, SD_LOG_LEVEL = 8.0, 0.8
PROMO_SHARE, HOLIDAY_SHARE, CLOSED_SHARE = 0.35, 0.18, 0.03


def fetch(settings: SyntheticSettings, folder: Path) -> list[RawFile]:
    """Return no file: the panel comes from its seed alone."""
    del settings, folder
    return []


def build(settings: SyntheticSettings, folder: Path) -> Draft:
    """Generate the panel; the same settings give the same numbers."""
    del folder
    dates = _dates(settings)
    days = {"W": 7.0, "MS": 30.0, "QS": 91.0, "YS": 365.0}.get(settings.frequency.split("-")[0], 1.0)
    season = settings.season or default_season(settings.frequency)
    random = np.random.default_rng(settings.seed)
    shape = (settings.series, settings.steps)

    step = np.arange(settings.steps)
    calendar = random.random(settings.steps) < HOLIDAY_SHARE
    promo = np.where(random.random(shape) < PROMO_SHARE, np.ceil(0.7 * days), 0.0)
    holiday = np.broadcast_to(np.where(calendar, np.ceil(0.7 * days), 0.0), shape)
    closed = (
        np.where(random.random(shape) < CLOSED_SHARE, np.ceil(days / 7), 0.0) if days > 1 else np.zeros(shape)
    )
    opened = days - closed

    level = random.normal(MEAN_LOG_LEVEL, SD_LOG_LEVEL, (settings.series, 1))
    wave = random.uniform(0.1, 0.3, (settings.series, 1)) * np.sin(
        2 * np.pi * step / season + random.uniform(-0.5, 0.5, (settings.series, 1))
    )
    lift = random.uniform(0.1, 0.4, (settings.series, 1)) * promo / days
    dip = random.uniform(-0.15, 0.15, (settings.series, 1)) * holiday / days
    noise = settings.noise * random.standard_normal(shape)
    log_rate = level + settings.trend * step / season + wave + lift + dip + noise
    y = np.rint(np.exp(log_rate) * opened / days)

    width = max(3, len(str(settings.series)))
    names = [f"shop_{number:0{width}d}" for number in range(1, settings.series + 1)]
    regions = [REGIONS[number % len(REGIONS)] for number in range(settings.series)]
    frame = pd.DataFrame(
        {
            "unique_id": np.repeat(names, settings.steps),
            "ds": np.tile(dates.to_numpy(), settings.series),
            "y": y.ravel(),
            "promo_days": promo.ravel(),
            "school_holiday_days": holiday.ravel(),
            "open_days": opened.ravel(),
            "region": np.repeat(regions, settings.steps),
        }
    )
    return Draft(
        frame=frame,
        title="Synthetic shops",
        target_name="sales",
        unit="units",
        frequency=settings.frequency,
        future=("promo_days", "school_holiday_days", "open_days"),
        static=("region",),
        event_column="school_holiday_days",
        row_name="row",
        notes=(f"Made up by a generator with seed {settings.seed}: nothing here is about the real world.",),
    )


def _dates(settings: SyntheticSettings) -> pd.DatetimeIndex:
    """Return the period starts from the first week of 2013 on."""
    try:
        dates = pd.date_range(START, periods=settings.steps, freq=settings.frequency)
    except ValueError:
        dates = None
    if dates is None or dates[-1].year > LAST_YEAR:
        raise InputError(
            f"params.yaml: panel.steps is {settings.steps}: so many periods of frequency "
            f"{settings.frequency} end after "
            f"the year {LAST_YEAR}. Use fewer."
        )
    return dates
