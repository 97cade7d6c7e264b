"""Least squares from sums over rows: what linear models need of a table that is never held as a whole.

Sums of x, x x', x y and y^2 say all about (n, k) rows that a linear model can ask: `compact` turns them into
k + 1 rows with the same sums, on which the usual solvers give the usual coefficients. Penalties that solvers
divide by the number of rows must be given as `penalty * n / (k + 1)`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelbench.models.stream import Float, Stream

TINY = 1e-10
"""Directions with less than this share of the largest variance are rounding, not data."""


@dataclass(frozen=True)
class Moments:
    """Sums over n rows: of x (k,), x x' (k, k), x y (k,), y and y^2."""

    n: float
    x: Float
    xx: Float
    xy: Float
    y: float
    yy: float

    def __add__(self, other: Moments) -> Moments:
        mine, theirs = (vars(one) for one in (self, other))
        return Moments(**{name: mine[name] + theirs[name] for name in mine})

    @classmethod
    def of(cls, x: Float, y: Float) -> Moments:
        """Return the sums over rows held in memory."""
        return cls(len(y), x.sum(axis=0), x.T @ x, x.T @ y, float(y.sum()), float(y @ y))

    def scale(self) -> tuple[Float, Float]:
        """(k,) mean and standard deviation of x; 1 for a constant."""
        mean = self.x / self.n
        variance = np.maximum(np.diag(self.xx) / self.n - mean**2, 0.0)
        return mean, np.where(variance > 1e-12, np.sqrt(variance), 1.0)

    def moved(self, x: Float, spread: Float, y: float) -> Moments:
        """Return the sums of (features - x) / spread and of target - y."""
        xx = self.xx - np.outer(self.x, x) - np.outer(x, self.x) + self.n * np.outer(x, x)
        xy = self.xy - self.x * y - x * self.y + self.n * x * y
        return Moments(
            self.n,
            (self.x - self.n * x) / spread,
            xx / np.outer(spread, spread),
            xy / spread,
            self.y - self.n * y,
            self.yy - 2 * y * self.y + self.n * y**2,
        )

    def compact(self) -> tuple[Float, Float]:
        """(k + 1, k) x and (k + 1,) y with the same xx, xy and yy."""
        values, vectors = np.linalg.eigh(self.xx)
        kept = values > TINY * values[-1]
        root = np.sqrt(values[kept])
        k = len(values)
        x, y = np.zeros((k + 1, k)), np.zeros(k + 1)
        x[: kept.sum()] = root[:, None] * vectors[:, kept].T
        y[: kept.sum()] = (vectors[:, kept].T @ self.xy) / root
        y[k] = max(self.yy - float(y @ y), 0.0) ** 0.5  # what no combination of features reaches
        return x, y

    def errors(self, coefficients: Float) -> Float:
        """Return the mean squared error of each column of (k, m) coefficients, without an intercept."""
        squares = self.yy - 2 * self.xy @ coefficients + ((self.xx @ coefficients) * coefficients).sum(axis=0)
        return np.asarray(squares / self.n)


def grouped(stream: Stream, group: NDArray[np.integer]) -> tuple[list[Moments], Float, Float, float]:
    """Return the sums of each group of rows, and the shift and spread of x and shift of y they are taken at.

    Sums of squares of large numbers lose the digits that make the difference; those of numbers near zero
    with a spread near one do not. The first part of the rows says about where that is.
    """
    found: list[Moments | None] = [None] * (int(group.max()) + 1)
    shift = spread = np.empty(0)
    level = 0.0
    for rows, features in stream.parts():
        if not len(shift):
            shift, level = features.mean(axis=0), float(stream.y[rows].mean())
            sd = features.std(axis=0)
            spread = np.where(sd > 0, sd, 1.0)
        x, y = (features - shift) / spread, stream.y[rows] - level
        for one in np.unique(group[rows]):
            chosen = group[rows] == one
            sums, before = Moments.of(x[chosen], y[chosen]), found[one]
            found[one] = sums if before is None else before + sums
    return [one for one in found if one is not None], shift, spread, level


def total(moments: list[Moments]) -> Moments:
    """Return the sums over several groups together."""
    whole = moments[0]
    for one in moments[1:]:
        whole = whole + one
    return whole
