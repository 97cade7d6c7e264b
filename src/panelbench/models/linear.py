"""Linear models on engineered features: least squares, ridge and LASSO."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LinearRegression, Ridge, lasso_path
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from panelbench.models import large_linear
from panelbench.models.base import Note, Observer
from panelbench.models.folds import Fold, period_folds, row_folds
from panelbench.models.sanity import about_penalty
from panelbench.models.settings import LassoSettings, OlsSettings, PenalisedSettings, RidgeSettings
from panelbench.models.stream import Stream
from panelbench.models.tabular import Float, Regressor, Sample, TabularForecaster

LASSO_ALPHAS = np.logspace(4, -2, 50)
"""The course's grid (homework 4), strongest penalty first, so that each fit starts from the last."""
RIDGE_ALPHAS = np.logspace(7, -2, 80)


def ols(settings: OlsSettings, seed: int, threads: int, observe: Observer | None) -> TabularForecaster:
    """Build ordinary least squares on standardised features."""
    del seed, threads, observe

    def fit_step(sample: Sample | Stream) -> tuple[Regressor, dict[str, Note]]:
        if isinstance(sample, Stream):
            return large_linear.ols(sample)
        return make_pipeline(StandardScaler(), LinearRegression()).fit(sample.x, sample.y), {}

    return TabularForecaster(settings, fit_step, coefficients=True)


def ridge(settings: RidgeSettings, seed: int, threads: int, observe: Observer | None) -> TabularForecaster:
    """Build ridge regression, its penalty chosen by the lowest mean squared error over the folds."""
    del seed, threads, observe

    def fit_step(sample: Sample | Stream) -> tuple[Regressor, dict[str, Note]]:
        if isinstance(sample, Stream):
            return large_linear.ridge(sample, settings, RIDGE_ALPHAS)
        alpha = settings.alpha
        if alpha is None:
            errors = [_ridge_errors(*side) for side in _fold_data(sample, settings)]
            alpha = _best(RIDGE_ALPHAS, errors)
        model = make_pipeline(StandardScaler(), Ridge(alpha=alpha)).fit(sample.x, sample.y)
        return model, {"alpha": alpha}

    return TabularForecaster(settings, fit_step, coefficients=True)


def lasso(settings: LassoSettings, seed: int, threads: int, observe: Observer | None) -> TabularForecaster:
    """Build the LASSO, its penalty chosen by the lowest mean squared error over the folds.

    The notes tell whether coordinate descent converged: in the final fit, and in how many of the
    (fold, alpha) fits it did not.
    """
    del seed, threads, observe

    def fit_step(sample: Sample | Stream) -> tuple[Regressor, dict[str, Note]]:
        if isinstance(sample, Stream):
            return large_linear.lasso(sample, settings, LASSO_ALPHAS)
        notes: dict[str, Note] = {}
        alpha = settings.alpha
        if alpha is None:
            results = [_lasso_errors(*side, settings.max_iterations) for side in _fold_data(sample, settings)]
            alpha = _best(LASSO_ALPHAS, [errors for errors, _ in results])
            notes["cv_fits"] = len(results) * len(LASSO_ALPHAS)
            notes["cv_fits_not_converged"] = sum(unfinished for _, unfinished in results)
        final = Lasso(alpha=alpha, max_iter=settings.max_iterations)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            model = make_pipeline(StandardScaler(), final).fit(sample.x, sample.y)
        notes |= {
            "alpha": alpha,
            "nonzero": int(np.count_nonzero(final.coef_)),
            "converged": not any(issubclass(each.category, ConvergenceWarning) for each in caught),
            "iterations": int(final.n_iter_),
        }
        if settings.alpha is None:
            enough = float(np.abs(model[:-1].transform(sample.x).T @ (sample.y - sample.y.mean())).max())
            left = int(np.count_nonzero(final.coef_))
            notes |= about_penalty(alpha, LASSO_ALPHAS.tolist(), left, enough / len(sample.y))
        return model, notes

    return TabularForecaster(settings, fit_step, coefficients=True)


def _fold_data(sample: Sample, settings: PenalisedSettings) -> list[tuple[Float, Float, Float, Float]]:
    """Return (x, y, held-out x, held-out y) of each fold, features standardised.

    With `cv: weeks` the scaler is fitted on the fold's training side alone. With `cv: rows` it is
    fitted once on all training rows: that is what a pipeline ending in ElasticNetCV does, and the
    published figure has it so.
    """
    folds: list[Fold]
    if settings.cv == "rows":
        folds = row_folds(len(sample.y), settings.splits)
        whole = StandardScaler().fit(sample.x)
    else:
        folds = period_folds(sample.origin, settings.splits, sample.step)
        whole = None
    data = []
    for early, late in folds:
        scaler = whole if whole is not None else StandardScaler().fit(sample.x[early])
        data.append((
            scaler.transform(sample.x[early]),
            sample.y[early],
            scaler.transform(sample.x[late]),
            sample.y[late],
        ))  # fmt: skip
    return data


def _best(alphas: Float, errors: list[Float]) -> float:
    """Return the penalty with the lowest mean over folds of (n_alphas,) squared errors."""
    return float(alphas[int(np.argmin(np.mean(errors, axis=0)))])


def _lasso_errors(x: Float, y: Float, late_x: Float, late_y: Float, sweeps: int) -> tuple[Float, int]:
    """Return (n_alphas,) held-out mean squared errors, and how many of the fits did not converge."""
    centre_x, centre_y = x.mean(axis=0), y.mean()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        _, coefficients, _ = lasso_path(
            np.asfortranarray(x - centre_x), y - centre_y, alphas=LASSO_ALPHAS, max_iter=sweeps
        )
    unfinished = sum(issubclass(each.category, ConvergenceWarning) for each in caught)
    return _errors(coefficients, late_x - centre_x, late_y - centre_y), unfinished


def _ridge_errors(x: Float, y: Float, late_x: Float, late_y: Float) -> Float:
    """Return (n_alphas,) held-out mean squared errors from one singular value decomposition."""
    centre_x, centre_y = x.mean(axis=0), y.mean()
    left, singular, right = np.linalg.svd(x - centre_x, full_matrices=False)
    shrunk = singular[:, None] / (singular[:, None] ** 2 + RIDGE_ALPHAS)
    coefficients: NDArray[Any] = right.T @ (shrunk * (left.T @ (y - centre_y))[:, None])
    return _errors(coefficients, late_x - centre_x, late_y - centre_y)


def _errors(coefficients: Float, x: Float, y: Float) -> Float:
    """Return the mean squared error of each column of (k, n_alphas) coefficients."""
    residual: Float = y[:, None] - x @ coefficients
    errors: Float = np.mean(residual**2, axis=0)
    return errors
