"""A textbook's example series from a seed: two sine waves, a trend and noise, hour by hour.

    y(t) = sin(2 pi t / 24) + 0.5 sin(2 pi t / 168) + trend t + noise e(t),    e(t) ~ N(0, 1)

With the defaults it is the series on which a textbook chapter trains its Transformer forecaster: a day's and
a week's cycle, 0.001 an hour of growth, noise of 0.3. Nobody knows the numbers drawn there, so a seed here
gives another draw of the same process. The best forecast possible has the noise's mean squared error, 0.09.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from panelbench.panel.draft import Draft
from panelbench.panel.panel import RawFile
from panelbench.panel.settings import ChapterSettings

START = pd.Timestamp("2024-01-01")
DAY, WEEK = 24, 168
"""Hours in a cycle."""
WEEKLY_SIZE = 0.5
"""Amplitude of the weekly cycle; the daily one has 1."""


def fetch(settings: ChapterSettings, folder: Path) -> list[RawFile]:
    """Return no file: the series comes from its seed alone."""
    del settings, folder
    return []


def build(settings: ChapterSettings, folder: Path) -> Draft:
    """Generate the series; the same settings give the same numbers."""
    del folder
    step = np.arange(settings.steps)
    noise = np.random.default_rng(settings.seed).standard_normal(settings.steps)
    y = (
        np.sin(2 * np.pi * step / DAY)
        + WEEKLY_SIZE * np.sin(2 * np.pi * step / WEEK)
        + settings.trend * step
        + settings.noise * noise
    )
    dates = pd.date_range(START, periods=settings.steps, freq="h")
    return Draft(
        frame=pd.DataFrame({"unique_id": "chapter", "ds": dates, "y": y}),
        title="A textbook's example series",
        target_name="value",
        unit="units",
        frequency="h",
        notes=(
            f"Made up by a generator with seed {settings.seed}: two waves, a trend and noise.",
        ),
    )
