"""Tabular features: lags, rolling statistics, calendar, known-ahead covariates, one-hot identity.

Everything about the target is read at or before the origin: a rolling statistic ends at the origin,
which is the one-period shift that keeps the value to be forecast out of its own predictor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from panelbench.data.calendar import calendar_columns, fourier_columns
from panelbench.data.windows import Windows

Float = NDArray[np.float64]
CHUNK = 8_000_000
"""Numbers held at once while rolling statistics are taken."""


@dataclass(frozen=True)
class Recipe:
    """Which features a tabular model gets; `lags` and `rolling` in periods, `fourier` in harmonics.

    `groups` is the order in which the columns that are known ahead follow those of the history.
    """

    lags: tuple[int, ...]
    rolling: tuple[int, ...]
    fourier: int
    groups: tuple[str, ...]


@dataclass(frozen=True)
class FeatureTable:
    """Features of n windows.

    Attributes
    ----------
    names
        The k column names.
    steps
        H arrays of (n, k), one a forecast step. Rows whose longest lag reaches before the panel's
        start hold NaN.
    """

    names: tuple[str, ...]
    steps: tuple[Float, ...]

    def complete(self) -> NDArray[np.bool_]:
        """(n,) whether a row has every feature."""
        return np.asarray(np.isfinite(self.steps[0]).all(axis=1), dtype=np.bool_)


def recipe(name: str, season: int) -> Recipe:
    """Return the recipe of a feature set for a season of `season` periods.

    With 52 weeks a season, `lags46` and `lags27` are the course's recipes: ten lags, four rolling
    windows and three harmonics; five lags and nothing else. Other seasons keep the proportions. The
    columns stand in the order in which the course lists them: trees draw features by position, so that
    another order is another forest.
    """
    if name == "lags27":
        return Recipe(
            lags=_distinct(1, 2, 3, 4, season),
            rolling=(),
            fourier=0,
            groups=("known", "calendar", "identity"),
        )
    return Recipe(
        lags=_distinct(1, 2, 3, 4, 5, 6, 8, season // 4, season // 2, season),
        rolling=tuple(width for width in _distinct(4, season // 4, season // 2, season) if width > 1),
        fourier=min(3, season // 2),
        groups=("fourier", "identity", "known", "calendar"),
    )


def feature_table(windows: Windows, name: str) -> FeatureTable:
    """Compute the features of every window.

    Parameters
    ----------
    name
        "lags46", "lags27", or "window": the flattened lookback, exactly what a network sees.
    """
    if name == "window":
        return _flattened(windows)
    known = windows.known
    chosen = recipe(name, known.info.season)
    names, columns = _history_columns(windows, chosen)
    tables = []
    known_names: list[str] = []
    for step in range(1, windows.horizon + 1):
        groups = _known_groups(windows, chosen, step)
        known_names = [column for group in chosen.groups for column in groups[group]]
        known_columns = [values for group in chosen.groups for values in groups[group].values()]
        tables.append(np.column_stack([*columns, *known_columns]))
    return FeatureTable((*names, *known_names), tuple(tables))


def _distinct(*periods: int) -> tuple[int, ...]:
    return tuple(sorted({period for period in periods if period >= 1}))


def _flattened(windows: Windows) -> FeatureTable:
    """Return the lookback as one row a window, oldest period first, then channel by channel."""
    inputs = windows.inputs().astype(np.float64)
    flat = inputs.reshape(len(inputs), inputs.shape[1] * inputs.shape[2])
    ages = range(windows.lookback - 1, -1, -1)
    names = tuple(f"{channel}[t-{age}]" for age in ages for channel in windows.channel_names)
    return FeatureTable(names, (flat,) * windows.horizon)


def _history_columns(windows: Windows, chosen: Recipe) -> tuple[list[str], list[Float]]:
    """Return lags, rolling statistics and past covariates as of the origin."""
    y = windows.known.y
    names, columns = [], []
    for lag in chosen.lags:
        at = windows.origin - lag + 1
        column = y[windows.series, np.maximum(at, 0)]
        names.append(f"lag_{lag}")
        columns.append(np.where(at >= 0, column, np.nan))
    for width in chosen.rolling:
        mean, sd = _rolling(y, width)
        names += [f"rolling_mean_{width}", f"rolling_sd_{width}"]
        columns += [mean[windows.series, windows.origin], sd[windows.series, windows.origin]]
    for index, name in enumerate(windows.known.info.past):
        names.append(f"{name}_lag_1")
        columns.append(windows.known.past[windows.series, windows.origin, index])
    return names, columns


def _rolling(y: Float, width: int) -> tuple[Float, Float]:
    """(S, O) mean and sd (n - 1) of the last `width` values, the current one included; NaN before that."""
    mean = np.full(y.shape, np.nan)
    sd = np.full(y.shape, np.nan)
    if y.shape[1] < width:
        return mean, sd
    step = max(1, CHUNK // (y.shape[1] * width))
    for first in range(0, len(y), step):
        view = sliding_window_view(y[first : first + step], width, axis=1)
        mean[first : first + step, width - 1 :] = view.mean(axis=-1)
        sd[first : first + step, width - 1 :] = view.std(axis=-1, ddof=1)
    return mean, sd


def _known_groups(windows: Windows, chosen: Recipe, step: int) -> dict[str, dict[str, Float]]:
    """Return what is known of the period `step` ahead, by group: covariates, calendar, season, identity."""
    known = windows.known
    target = windows.origin + step
    at = target if windows.covariates == "ahead" else windows.origin
    period = windows.panel_period(target)
    frequency = known.info.frequency
    calendar = calendar_columns(known.dates, frequency)
    fourier = fourier_columns(known.dates, frequency, known.info.season, chosen.fourier)
    identity = _one_hot(known.static)
    return {
        "known": {name: known.future[windows.series, at, i] for i, name in enumerate(known.info.future)},
        "calendar": {name: values[period] for name, values in calendar.items()},
        "fourier": {name: values[period] for name, values in fourier.items()},
        "identity": {name: values[windows.series] for name, values in identity.items()},
    }


def _one_hot(static: pd.DataFrame) -> dict[str, Float]:
    """Return one 0/1 column (S,) a category of every static column, no category dropped."""
    return {
        f"{column}={category}": (static[column] == category).to_numpy(np.float64)
        for column in static.columns
        for category in static[column].astype("category").cat.categories  # sorted; those of the whole panel
    }
