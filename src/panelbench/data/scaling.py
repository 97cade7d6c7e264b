"""Scale a network's inputs and target with statistics of the training block or of the window itself."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from panelbench.data.windows import Windows

Float = NDArray[np.float64]
Scaling = Literal["global", "series", "window", "none"]
Target = Literal["level", "difference"]
CHUNK = 4_000_000
"""Numbers held at once while windows' own statistics are taken."""


@dataclass(frozen=True)
class Scaler:
    """Centre and spread of every channel and of the target, learned from training windows only.

    `global` has one mean and sd a channel, over all training windows and their positions, as in the
    lecture (a week counts as often as windows hold it). `series` has one a series and channel.
    `window` scales each window by its own lookback, which needs no training data, and undoes it on
    the output with exactly those numbers (reversible instance normalisation, Kim et al. 2022).
    `none` leaves everything in the panel's unit.
    With target `difference` the network forecasts the change against the last observed value.

    Attributes
    ----------
    mean, sd
        (1 or S, 1, C) of the channels; for `window` only a floor under the window's own sd is kept.
    y_mean, y_sd
        (1 or S,) of the target, or of its change.
    """

    scaling: Scaling
    target_kind: Target
    mean: Float
    sd: Float
    y_mean: Float
    y_sd: Float

    @classmethod
    def fit(cls, train: Windows, scaling: Scaling, target: Target) -> Scaler:
        """Learn the statistics from training windows (with targets) and from nothing else."""
        assert train.y is not None  # noqa: S101 - training windows carry their targets
        if scaling == "none":
            channels = (1, 1, train.values.shape[2])
            return cls(scaling, target, np.zeros(channels), np.ones(channels), np.zeros(1), np.ones(1))
        change = train.y - train.history(1) if target == "difference" else train.y
        if scaling == "series":
            mean, sd = _weighted(train, by_series=True)
            each = _by_series(change, train)
            y_mean = np.array([own.mean() for own in each])
            y_sd = _safe(np.array([own.std() for own in each]), y_mean)
            return cls(scaling, target, mean, sd, y_mean, y_sd)
        mean, sd = _weighted(train, by_series=False)
        if scaling == "window":
            # A constant window has no spread of its own; a hundredth of the usual one keeps it finite.
            spread = _window_statistics(train)[1]
            if len(train) < spread.shape[0] * spread.shape[1]:  # only some of the windows are learned from
                spread = spread[None, train.series, train.position]
            sd = _safe(0.01 * spread.mean(axis=(0, 1), keepdims=True), mean)
        y_mean = change.mean(keepdims=True)[0]
        return cls(scaling, target, mean, sd, y_mean, _safe(change.std(keepdims=True)[0], y_mean))

    def inputs(self, windows: Windows) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return centre and spread for inputs, each (1 or S, 1 or O - L + 1, C), to index or broadcast."""
        if self.scaling != "window":
            source = windows.known.source if self.scaling == "series" else None
            rows = slice(None) if source is None else source
            return self.mean[rows].astype(np.float32), self.sd[rows].astype(np.float32)
        mean, sd = _window_statistics(windows)
        return mean.astype(np.float32), np.maximum(sd, self.sd).astype(np.float32)

    def target(self, windows: Windows) -> tuple[Float, Float]:
        """Return centre and spread of each window's target, each (n, 1), in the panel's unit."""
        last = windows.history(1) if self.target_kind == "difference" else 0.0
        if self.scaling == "window":
            mean, sd = _window_statistics(windows)
            at = (windows.series, windows.position)
            spread = np.maximum(sd[..., 0], self.sd[..., 0])[at][:, None]
            centre = last if self.target_kind == "difference" else mean[..., 0][at][:, None]
            return np.broadcast_to(centre, spread.shape), spread
        by_row = windows.panel_series if self.scaling == "series" else np.zeros(len(windows), int)
        return self.y_mean[by_row][:, None] + last, self.y_sd[by_row][:, None]


def _safe(sd: Float, mean: Float | float = 0.0) -> Float:
    """Return `sd` with 1 where it is zero or rounding of `mean`: a constant is centred and left alone.

    A constant below 1 keeps its own size instead, so that a network's output is of the target's size.
    """
    size = np.abs(mean)
    return np.where(sd > 1e-12 * size, sd, np.where((size > 0) & (size < 1), size, 1.0))


def _by_series(values: Float, windows: Windows) -> list[Float]:
    """Return the rows of (n, H) values by series, as views: windows are ordered by series."""
    edges = np.searchsorted(windows.series, np.arange(windows.known.y.shape[0] + 1))
    return [values[first:end] for first, end in itertools.pairwise(edges)]


def _weighted(train: Windows, *, by_series: bool) -> tuple[Float, Float]:
    """Return mean and sd, (1 or S, 1, C), over all windows and positions without cutting the windows.

    Each period is weighted by the number of windows that hold it, which gives the same numbers as
    stacking the overlapping windows would.
    """
    values = train.values.astype(np.float64)
    edges = np.zeros((values.shape[0], values.shape[1] + 1))
    np.add.at(edges, (train.series, train.position), 1.0)
    np.add.at(edges, (train.series, train.origin + 1), -1.0)
    weight = edges.cumsum(axis=1)[:, :-1, None]
    axes = (1,) if by_series else (0, 1)
    total = np.maximum(weight.sum(axis=axes, keepdims=True), 1.0)
    mean = (weight * values).sum(axis=axes, keepdims=True) / total
    variance = (weight * (values - mean) ** 2).sum(axis=axes, keepdims=True) / total
    return mean, _safe(np.sqrt(variance), mean)


def _window_statistics(windows: Windows) -> tuple[Float, Float]:
    """Return mean and sd of every window's own lookback, each (S, O - L + 1, C)."""
    values = windows.values.astype(np.float64)
    series, periods, channels = values.shape
    count = periods - windows.lookback + 1
    mean = np.empty((series, count, channels))
    sd = np.empty_like(mean)
    step = max(1, CHUNK // (count * channels * windows.lookback))
    for first in range(0, series, step):
        view = sliding_window_view(values[first : first + step], windows.lookback, axis=1)
        mean[first : first + step] = view.mean(axis=-1)
        sd[first : first + step] = view.std(axis=-1)
    return mean, sd
