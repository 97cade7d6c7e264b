"""Linear models on a table of features too large to hold: two passes over its parts, then small matrices.

The first pass finds the rows that have every feature, the second adds up `moments` for the groups of rows
that the folds are made of. Standardising, penalties, folds and held-out errors are those of `linear`; the
tests hold the two against each other.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, lasso_path

from panelbench.models.base import Note
from panelbench.models.folds import Fold, period_folds, row_folds
from panelbench.models.moments import Moments, grouped, total
from panelbench.models.sanity import about_penalty
from panelbench.models.settings import LassoSettings, PenalisedSettings
from panelbench.models.stream import Float, Stream


@dataclass(frozen=True)
class Linear:
    """Coefficients on standardised features: y = level + ((x - mean) / sd) coefficients."""

    mean: Float
    sd: Float
    level: float
    coefficients: Float

    def predict(self, x: Float) -> Float:
        """Return (n,) predictions of (n, k) features."""
        return np.asarray(self.level + ((x - self.mean) / self.sd) @ self.coefficients)


@dataclass(frozen=True)
class Sums:
    """Moments by group of rows, taken at a shift, and which groups each fold trains on and holds out."""

    groups: list[Moments]
    folds: list[tuple[list[int], list[int]]]
    shift: Float
    spread: Float
    level: float

    def standardised(self, groups: Sequence[int]) -> tuple[Moments, Float, Float, float]:
        """Return the moments of some groups, standardised, and by what: means, deviations, mean target."""
        chosen = total([self.groups[one] for one in groups])
        mean, sd = chosen.scale()
        level = chosen.y / chosen.n
        return chosen.moved(mean, sd, level), mean, sd, level

    def sides(self, *, scaled_once: bool) -> list[tuple[Moments, Moments]]:
        """Return each fold's training and held-out moments, both by the scaler of the training side.

        With `scaled_once` the features' deviations are those of all rows, as with `cv: rows`.
        """
        found = []
        for early, late in self.folds:
            train = total([self.groups[one] for one in early])
            mean, sd = train.scale()
            if scaled_once:
                sd = total(self.groups).scale()[1]
            level = train.y / train.n
            held_out = total([self.groups[one] for one in late])
            found.append((train.moved(mean, sd, level), held_out.moved(mean, sd, level)))
        return found

    def model(self, coefficients: Float) -> Linear:
        """Return a model with coefficients on features standardised by all rows."""
        _, mean, sd, level = self.standardised(range(len(self.groups)))
        centre = self.shift + mean * self.spread
        return Linear(centre, sd * self.spread, self.level + level, coefficients)


def sums(stream: Stream, folds: Sequence[Fold]) -> Sums:
    """Add up the rows by the sides of the folds they are on."""
    n = len(stream.y)
    sides = np.zeros((n, 2 * len(folds) + 1), dtype=np.bool_)
    for place, (early, late) in enumerate(folds):
        sides[early, 2 * place] = True
        sides[late, 2 * place + 1] = True
    code = sides @ (1 << np.arange(sides.shape[1], dtype=np.int64))
    codes, group = np.unique(code, return_inverse=True)
    groups, shift, spread, level = grouped(stream, group)

    def on(side: int) -> list[int]:
        return [place for place, one in enumerate(codes.tolist()) if one >> side & 1]

    return Sums(groups, [(on(2 * i), on(2 * i + 1)) for i in range(len(folds))], shift, spread, level)


def ols(stream: Stream) -> tuple[Linear, dict[str, Note]]:
    """Fit ordinary least squares; of collinear features the smallest coefficients, as the library has it."""
    added = sums(stream, [])
    x, y = added.standardised(range(len(added.groups)))[0].compact()
    return added.model(np.asarray(np.linalg.lstsq(x, y, rcond=None)[0], np.float64)), {}


def ridge(stream: Stream, settings: PenalisedSettings, alphas: Float) -> tuple[Linear, dict[str, Note]]:
    """Fit ridge regression, its penalty chosen from `alphas` by the lowest error over the folds."""
    added = sums(stream, _folds(stream, settings))
    alpha = settings.alpha
    if alpha is None:
        errors = [
            late.errors(np.stack([_ridge(early, one) for one in alphas], axis=1))
            for early, late in added.sides(scaled_once=settings.cv == "rows")
        ]
        alpha = _best(alphas, errors)
    whole = added.standardised(range(len(added.groups)))[0]
    return added.model(_ridge(whole, alpha)), {"alpha": alpha}


def lasso(stream: Stream, settings: LassoSettings, alphas: Float) -> tuple[Linear, dict[str, Note]]:
    """Fit the LASSO, its penalty chosen from `alphas` by the lowest error over the folds."""
    added = sums(stream, _folds(stream, settings))
    notes: dict[str, Note] = {}
    alpha = settings.alpha
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        if alpha is None:
            sides = added.sides(scaled_once=settings.cv == "rows")
            alpha = _best(alphas, [_path_errors(*side, alphas, settings.max_iterations) for side in sides])
            notes["cv_fits"] = len(sides) * len(alphas)
            notes["cv_fits_not_converged"] = _unfinished(caught)
        before = _unfinished(caught)
        whole = added.standardised(range(len(added.groups)))[0]
        x, y = whole.compact()
        penalty = alpha * whole.n / len(y)
        final = Lasso(penalty, fit_intercept=False, max_iter=settings.max_iterations).fit(x, y)
    notes |= {
        "alpha": alpha,
        "nonzero": int(np.count_nonzero(final.coef_)),
        "converged": _unfinished(caught) == before,
        "iterations": int(final.n_iter_),
    }
    if settings.alpha is None:
        left = int(np.count_nonzero(final.coef_))
        notes |= about_penalty(alpha, alphas.tolist(), left, float(np.abs(whole.xy).max()) / whole.n)
    return added.model(final.coef_), notes


def _folds(stream: Stream, settings: PenalisedSettings) -> list[Fold]:
    if settings.alpha is not None:
        return []
    if settings.cv == "rows":
        return row_folds(len(stream.y), settings.splits)
    return period_folds(stream.origin, settings.splits, stream.step)


def _ridge(moments: Moments, alpha: float) -> Float:
    penalised = moments.xx + alpha * np.eye(len(moments.x))
    return np.asarray(np.linalg.solve(penalised, moments.xy), np.float64)


def _path_errors(early: Moments, late: Moments, alphas: Float, sweeps: int) -> Float:
    x, y = early.compact()
    scaled = alphas * early.n / len(y)
    _, coefficients, _ = lasso_path(np.asfortranarray(x), y, alphas=scaled, max_iter=sweeps)
    return late.errors(coefficients)


def _best(alphas: Float, errors: list[Float]) -> float:
    return float(alphas[int(np.argmin(np.mean(errors, axis=0)))])


def _unfinished(caught: list[warnings.WarningMessage]) -> int:
    return sum(issubclass(each.category, ConvergenceWarning) for each in caught)
