"""Training rows of a panel too large to hold its table of features: computed again whenever they are read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from panelbench.data import Windows, feature_table
from panelbench.data.parts import by_series

Float = NDArray[np.float64]
LARGEST = 50_000_000
"""Numbers in a table of features that is still held as a whole: 400 MB."""
LARGEST_LINEAR = 2_000_000
"""The same for linear models, which need but sums of it: solvers that walk over rows are slow before that."""


def is_large(windows: Windows, features: str, *, linear: bool) -> bool:
    """Return whether the table of features of all windows and steps is to be computed part by part."""
    names = feature_table(windows.take(slice(0, 1)), features).names
    return len(windows) * len(names) * windows.horizon > (LARGEST_LINEAR if linear else LARGEST)


class Stream:
    """The rows with every feature observed, for one forecast step; a `Sample` whose table comes in parts.

    Parameters
    ----------
    windows
        Training windows, with targets.
    features
        Name of the feature set.
    step
        The forecast step h, from 1.

    Attributes
    ----------
    y, origin
        (n,) target and last observed period of each row.
    """

    def __init__(self, windows: Windows, features: str, step: int) -> None:
        assert windows.y is not None  # noqa: S101 - training windows carry their targets
        self.step = step
        self._features = features
        self.names: tuple[str, ...] = ()
        complete = np.zeros(len(windows), dtype=np.bool_)
        for rows, part in by_series(windows):
            table = feature_table(part, features)
            self.names = table.names
            complete[rows] = table.complete()
        self._windows = windows.take(complete)
        self.y: Float = windows.y[complete, step - 1]
        self.origin = self._windows.origin

    def parts(self) -> Iterator[tuple[slice, Float]]:
        """Yield (rows, (m, k) features) over all n rows in their order."""
        for rows, part in by_series(self._windows):
            yield rows, feature_table(part, self._features).steps[self.step - 1]

    @cached_property
    def x(self) -> NDArray[np.float32]:
        """(n, k) all features in single precision, which trees round to anyway."""
        table = np.empty((len(self.y), len(self.names)), dtype=np.float32)
        for rows, features in self.parts():
            table[rows] = features
        return table
