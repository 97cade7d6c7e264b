"""Benchmarks that learn nothing: the value one season ago, and the last value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from panelbench.data import Windows
from panelbench.models.base import FitRecord, Observer
from panelbench.models.checks import Shape, require_finite
from panelbench.models.settings import LastValueSettings, SeasonalNaiveSettings


class SeasonalNaive:
    """Forecast step h by the latest observed value that is a whole number of seasons before it."""

    deterministic = True

    def __init__(self, season: int | None) -> None:
        self._season = season
        self._shape: Shape | None = None

    def fit(self, train: Windows, valid: Windows | None) -> FitRecord:  # noqa: ARG002 - the contract
        """Take the season from the panel unless the settings name one."""
        require_finite(train)
        self._shape = Shape.of(train)
        self._season = self._season or train.known.info.season
        return FitRecord(notes={"season": self._season})

    def predict(self, windows: Windows) -> NDArray[np.float64]:
        """Return (n, H): y[origin + h - m] with the smallest multiple m of the season that is observed.

        Raises
        ------
        InputError
            If less than one season has been observed.
        """
        require_finite(windows)
        if self._shape is not None:
            self._shape.require(windows)
        season = self._season or windows.known.info.season
        return windows.history(season)[:, np.arange(windows.horizon) % season]

    def n_parameters(self) -> int:
        """Return 0: nothing is estimated."""
        return 0


def seasonal_naive(
    settings: SeasonalNaiveSettings, seed: int, threads: int, observe: Observer | None
) -> SeasonalNaive:
    """Build from settings; a seed, threads and progress mean nothing here."""
    del seed, threads, observe
    return SeasonalNaive(settings.season)


def last_value(
    settings: LastValueSettings, seed: int, threads: int, observe: Observer | None
) -> SeasonalNaive:
    """Build persistence: a season of one period."""
    del settings, seed, threads, observe
    return SeasonalNaive(1)
