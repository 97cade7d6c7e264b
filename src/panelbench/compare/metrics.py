"""Forecast errors: one function a metric, and the sums that everything else is computed from.

All take errors or values over the test rows on the last axis; leading axes (seeds) are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelbench.compare.rows import Rows

Float = NDArray[np.float64]
Int = NDArray[np.int64]

DEFINITIONS = {
    "rmse": "Root mean squared error, pooled over all series and target periods, in the target's unit; "
    "large series weigh most.",
    "mse": "Mean squared error, pooled over all series and target periods, in the target's unit squared; the "
    "mean over seeds is a little more than the square of the mean RMSE.",
    "mae": "Mean absolute error, pooled over all series and target periods, in the target's unit.",
    "wape": "Weighted absolute percentage error: sum of absolute errors over sum of absolute actual values, "
    "pooled; a share.",
    "rmsse": "Root mean squared scaled error: a series' root mean squared error over the root mean squared "
    "one-step change of that series before the test block, then the mean over series; each series weighs "
    "the same, and 1 is as good as repeating the last value used to be (Hyndman and Koehler 2006; M5 "
    "competition).",
    "bias": "Mean of forecast minus actual value, pooled, in the target's unit; above zero: too high.",
}
"""What each metric means, for captions; the order is the order of the tables."""


def mse(y: Float, y_hat: Float) -> Float:
    """Mean squared error, mean((y_hat - y)^2), in the target's unit squared."""
    return np.asarray(np.mean((y_hat - y) ** 2, axis=-1))


def rmse(y: Float, y_hat: Float) -> Float:
    """Root mean squared error, sqrt(mean((y_hat - y)^2)), in the target's unit."""
    return np.asarray(np.sqrt(mse(y, y_hat)))


def mae(y: Float, y_hat: Float) -> Float:
    """Mean absolute error, mean(|y_hat - y|), in the target's unit."""
    return np.asarray(np.mean(np.abs(y_hat - y), axis=-1))


def wape(y: Float, y_hat: Float) -> Float:
    """Weighted absolute percentage error, sum(|y_hat - y|) / sum(|y|), a share; NaN where all y are zero."""
    total = np.abs(y).sum(axis=-1)
    error = np.abs(y_hat - y).sum(axis=-1)
    return np.asarray(np.divide(error, total, out=np.full_like(error, np.nan), where=total > 0))


def bias(y: Float, y_hat: Float) -> Float:
    """Mean error, mean(y_hat - y), in the target's unit; above zero where forecasts are too high."""
    return np.asarray(np.mean(y_hat - y, axis=-1))


def naive_scale(past: Float) -> Float:
    """Mean squared one-step change of each series before the test block.

    Parameters
    ----------
    past
        (S, T0) values before the first target period (training and validation block).

    Returns
    -------
    (S,) mean over t of (y[t] - y[t-1])^2, the in-sample error of repeating the last value; NaN for a series
    that never changes, whose scaled error is undefined.

    Notes
    -----
    Hyndman and Koehler (2006), "Another look at measures of forecast accuracy"; the M5 competition's RMSSE
    uses the same one-step scale. Unlike M5, leading zeros are part of the past.
    """
    if past.shape[1] < 2:
        return np.full(past.shape[0], np.nan)
    scale = np.mean(np.diff(past, axis=1) ** 2, axis=1)
    return np.asarray(np.where(scale > 0, scale, np.nan))


def rmsse(mse_by_series: Float, scale: Float) -> Float:
    """Root mean squared scaled error of each series, sqrt(mse / scale); no unit, NaN where undefined.

    Parameters
    ----------
    mse_by_series
        (..., S) mean squared error of each series over the test block.
    scale
        (S,) from `naive_scale`.
    """
    return np.asarray(np.sqrt(mse_by_series / scale))


def nanmean(values: Float) -> Float:
    """Mean over the last axis without the undefined entries; NaN where none is defined."""
    defined = np.isfinite(values)
    count = defined.sum(axis=-1)
    total = np.where(defined, values, 0.0).sum(axis=-1)
    return np.asarray(np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0))


def sums_by(code: Int, size: int, values: Float) -> Float:
    """Sum (R, n) values over rows that share a code; returns (R, size)."""
    return np.stack([np.bincount(code, weights=row, minlength=size) for row in values])


@dataclass(frozen=True)
class Scores:
    """One experiment's errors, reduced from R seeds x n rows to what comparisons need.

    Attributes
    ----------
    name, seeds, deterministic
        The experiment and its R finished seeds.
    values
        By metric (keys of `DEFINITIONS`), (R,) one value a seed.
    squared
        (R, W) sum of squared errors of each target period.
    rows_by_period
        (W,) test rows of each target period.
    squared_by_series
        (R, S) sum of squared errors of each series.
    scaled
        (R, S) RMSSE of each series; NaN where undefined.
    rmse_by_step, mae_by_step
        (R, H) RMSE and MAE at each step ahead, from 1 to the horizon.
    rows_by_step
        (H,) test rows at each step ahead.
    leaks
        Whether the experiment is declared to train on targets that it is scored on.
    """

    name: str
    seeds: tuple[int, ...]
    deterministic: bool
    values: dict[str, Float]
    squared: Float
    rows_by_period: Float
    squared_by_series: Float
    scaled: Float
    rmse_by_step: Float
    mae_by_step: Float
    rows_by_step: Float
    leaks: bool = False

    @property
    def horizon(self) -> int:
        """Steps ahead."""
        return int(self.rmse_by_step.shape[1])

    @property
    def rmse(self) -> Float:
        """(R,) pooled RMSE of each seed."""
        return self.values["rmse"]

    @property
    def loss(self) -> Float:
        """(W,) mean squared error of each target period, over series, steps and seeds."""
        return np.asarray(self.squared.mean(axis=0) / self.rows_by_period)


def score(
    name: str,
    seeds: tuple[int, ...],
    deterministic: bool,
    rows: Rows,
    y_hat: Float,
    past: Float,
    leaks: bool = False,
) -> Scores:
    """Score one experiment's forecasts.

    Parameters
    ----------
    rows, y_hat
        The n test rows and the (R, n) forecasts.
    past
        (S, T0) the panel's values before the first target period.
    """
    squared = (y_hat - rows.y) ** 2
    n_series, n_periods, horizon = len(rows.names), rows.dates.size, rows.horizon
    by_series = sums_by(rows.series, n_series, squared)
    rows_by_series = np.bincount(rows.series, minlength=n_series).astype(np.float64)
    known = rows_by_series > 0
    mean = np.divide(by_series, rows_by_series, out=np.full_like(by_series, np.nan), where=known)
    scaled = rmsse(mean, naive_scale(past))
    rows_by_step = np.bincount(rows.step - 1, minlength=horizon).astype(np.float64)
    by_step = sums_by(rows.step - 1, horizon, squared) / rows_by_step
    return Scores(
        name=name,
        seeds=seeds,
        deterministic=deterministic,
        values={
            "rmse": rmse(rows.y, y_hat),
            "mse": mse(rows.y, y_hat),
            "mae": mae(rows.y, y_hat),
            "wape": wape(rows.y, y_hat),
            "rmsse": nanmean(scaled),
            "bias": bias(rows.y, y_hat),
        },
        squared=sums_by(rows.period, n_periods, squared),
        rows_by_period=np.bincount(rows.period, minlength=n_periods).astype(np.float64),
        squared_by_series=by_series,
        scaled=scaled,
        rmse_by_step=np.sqrt(by_step),
        mae_by_step=sums_by(rows.step - 1, horizon, np.abs(y_hat - rows.y)) / rows_by_step,
        rows_by_step=rows_by_step,
        leaks=leaks,
    )
