"""What models on a table of features share: rows, one regressor a forecast step, prediction."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from panelbench.data import FeatureTable, Windows, feature_table
from panelbench.data.parts import by_series
from panelbench.errors import InputError
from panelbench.models.base import FitRecord, Note
from panelbench.models.checks import Shape, require_finite
from panelbench.models.settings import TabularSettings
from panelbench.models.stream import Stream, is_large

Float = NDArray[np.float64]
SMALL = 0.1
"""Standard deviation of a target below which trees are given it in a smaller unit."""


class Regressor(Protocol):
    """Anything fitted that predicts (n,) from (n, k)."""

    def predict(self, x: Float) -> Float:
        """Return (n,) predictions."""


@dataclass(frozen=True)
class Sample:
    """Training rows for one forecast step.

    Attributes
    ----------
    x, y
        (n, k) features and (n,) targets, rows sorted by series, then time.
    origin
        (n,) the rows' last observed period, for folds in time order.
    step
        The forecast step h, from 1.
    """

    x: Float
    y: Float
    origin: NDArray[np.int64]
    step: int


def small_unit(y: Float) -> float:
    """Return the power of two nearest below the spread of a target that varies by less than `SMALL`, else 1.

    Trees are not split for a gain below 1e-6 (XGBoost) or an impurity below 2e-16 (random forest), which are
    squares in the target's unit: of a target in a large unit they would learn nothing. A power of two changes
    no digit of a forecast.
    """
    spread = float(np.std(y))
    return float(2.0 ** np.floor(np.log2(spread))) if 0 < spread < SMALL else 1.0


def in_unit(sample: Sample | Stream, unit: float) -> Sample | Stream:
    """Return the rows with their target in another unit."""
    if unit == 1:
        return sample
    changed = copy.copy(sample)
    object.__setattr__(changed, "y", sample.y / unit)
    return changed


def _times(value: Note, unit: float) -> Note:
    return value * unit if isinstance(value, float) else value


FitStep = Callable[[Sample | Stream], tuple[Regressor, dict[str, Note]]]


class TabularForecaster:
    """Direct forecasts: one regressor a step, each on the features known for its step.

    Parameters
    ----------
    settings
        Names the feature set, and says whether a seed matters.
    fit_step
        Fits one regressor and says what it chose.
    coefficients
        Whether the regressors are linear, so that their coefficients can be counted.
    """

    def __init__(self, settings: TabularSettings, fit_step: FitStep, *, coefficients: bool) -> None:
        self.deterministic = settings.deterministic
        self._settings = settings
        self._fit_step = fit_step
        self._coefficients = coefficients
        self._models: list[Regressor] = []
        self._units: list[float] = []
        self._n_features = 0
        self._shape: Shape | None = None

    def fit(self, train: Windows, valid: Windows | None) -> FitRecord:  # noqa: ARG002 - the contract
        """Fit on the rows whose every feature is observed; the rest are counted in the notes.

        Raises
        ------
        InputError
            If a value is not finite or no row has all features.
        """
        require_finite(train)
        self._shape = Shape.of(train)
        notes: dict[str, Note] = {}
        for step, sample in enumerate(self._samples(train), start=1):
            notes |= {"features": self._n_features, "rows": len(sample.y)}
            unit = 1.0 if self._coefficients else small_unit(sample.y)
            model, found = self._fit_step(in_unit(sample, unit))
            self._models.append(model)
            self._units.append(unit)
            for key, value in found.items():
                name = key if step == 1 else f"{key}_step_{step}"
                notes[name] = _times(value, unit) if key.endswith("_rmse") else value
        return FitRecord(notes=notes)

    def _samples(self, train: Windows) -> Iterator[Sample | Stream]:
        """Yield the rows for each forecast step, their features in memory or, if too many, computed anew."""
        assert train.y is not None  # noqa: S101 - training windows carry their targets
        name = self._settings.features
        if is_large(train, name, linear=self._coefficients):
            for step in range(1, train.horizon + 1):
                stream = Stream(train, name, step)
                self._require_rows(len(stream.y))
                self._n_features = len(stream.names)
                yield stream
            return
        table = feature_table(train, name)
        rows = table.complete()
        self._require_rows(int(rows.sum()))
        self._n_features = len(table.names)
        for step, features in enumerate(table.steps, start=1):
            yield Sample(features[rows], train.y[rows, step - 1], train.origin[rows], step)

    def _require_rows(self, count: int) -> None:
        if not count:
            raise InputError(
                f"No training window has all of the features '{self._settings.features}': the longest lag "
                "reaches back before the panel's start. Use `features: window`, a shorter `season`, or "
                "smaller test and validation blocks."
            )

    def predict(self, windows: Windows) -> Float:
        """Return (n, H) forecasts in the panel's unit.

        Raises
        ------
        InputError
            If a window lacks a feature: the model would otherwise be scored on fewer rows than others.
        """
        require_finite(windows)
        if self._shape is not None:
            self._shape.require(windows)
        forecasts = np.empty((len(windows), windows.horizon))
        for rows, part in by_series(windows):
            table = feature_table(part, self._settings.features)
            self._require_complete(table)
            for step, (model, x) in enumerate(zip(self._models, table.steps, strict=True)):
                forecasts[rows, step] = model.predict(x) * self._units[step]
        return forecasts

    def n_parameters(self) -> int | None:
        """Return the number of coefficients over all steps, the intercepts aside as the course counts them.

        Zero coefficients count too. None for trees, whose size is in the notes.
        """
        return self._n_features * len(self._models) if self._coefficients else None

    def _require_complete(self, table: FeatureTable) -> None:
        missing = int((~table.complete()).sum())
        if missing:
            raise InputError(
                f"{missing} windows to forecast lack a feature of '{self._settings.features}': the longest "
                "lag reaches back before the panel's start. Use `features: window` or a shorter `season`."
            )
