"""Run-to-run spread: one metric over the seeds that finished."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from panelbench.compare.schema import Spread

Float = NDArray[np.float64]


def t_interval(values: Float, confidence: float) -> tuple[float | None, float | None]:
    """Return the t interval of the mean of n values, `mean +- t(n-1) sd / sqrt(n)`; two None for n < 2.

    Assumes that the values are independent and normal over seeds; with the handful of seeds that are
    affordable this cannot be checked, so state it where the interval is shown.
    """
    n = values.size
    if n < 2:
        return None, None
    half = float(stats.t.ppf(0.5 + confidence / 2, n - 1)) * float(values.std(ddof=1)) / np.sqrt(n)
    mean = float(values.mean())
    return mean - float(half), mean + float(half)


def spread(values: Float, confidence: float, deterministic: bool = False) -> Spread:
    """Summarise one metric over the finished seeds.

    Parameters
    ----------
    values
        (R,) one value a seed; NaN where the metric is undefined, which makes all figures None.
    confidence
        Of the t interval of the mean.
    deterministic
        A deterministic model has one value and no spread: no sd and no interval, rather than zeros.
    """
    n = int(values.size)
    if n == 0 or not np.isfinite(values).all():
        return Spread(n=n)
    low, high = (None, None) if deterministic else t_interval(values, confidence)
    return Spread(
        n=n,
        mean=float(values.mean()),
        sd=float(values.std(ddof=1)) if n > 1 and not deterministic else None,
        min=float(values.min()),
        max=float(values.max()),
        low=low,
        high=high,
    )
