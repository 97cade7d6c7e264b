"""The task of copying: the value to forecast is the one k steps back, and nothing else tells of it.

Values are independent standard normal numbers, so a forecaster that does not reach back k steps can do
nothing better than forecast 0, with mean squared error 1; one that does has error 0.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from panelbench.data.windows import Known, Windows
from panelbench.panel import PanelInfo

IGNORANT = 1.0
"""Mean squared error without any knowledge: the variance of the target."""


def copying(
    count: int, steps_back: int, lookback: int, seed: int, *, silent: bool = False, sees: int | None = None
) -> Windows:
    """Return independent windows, one a series.

    Parameters
    ----------
    count
        n windows.
    steps_back
        k; 1 is the latest value of the window.
    lookback
        L values are drawn a window.
    seed
        Of the values.
    silent
        All values but the one asked for are zero.
    sees
        Only the latest that many values are in the windows; None for all.
    """
    random = np.random.default_rng((seed, steps_back, lookback))
    values = random.standard_normal((count, lookback))
    y = values[:, [lookback - steps_back]].copy()
    if silent:
        values = np.zeros_like(values)
        values[:, lookback - steps_back] = y[:, 0]
    length = min(sees or lookback, lookback)
    known = _known(values[:, lookback - length :])
    series, origin = np.arange(count), np.full(count, length - 1)
    return Windows(known, series, origin, length, 1, "past", y)


def _known(values: NDArray[np.float64]) -> Known:
    """Return values (n, L) as n series over L periods and the one to be forecast."""
    count, length = values.shape
    dates = np.arange(np.datetime64("2000-01-03"), np.datetime64("2000-01-03") + length + 1)
    info = PanelInfo(
        source="noise", title="Noise", target_name="value", unit="", frequency="D", season=1,
        n_series=count, n_steps=length, n_rows=count * length, start="", end="",
    )  # fmt: skip
    nothing = np.empty((count, length + 1, 0))
    return Known(info, values, nothing[:, :length], nothing, dates, pd.DataFrame(index=range(count)))
