"""Ensembles of trees on engineered features: random forest and gradient boosting."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import product

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from xgboost import XGBRegressor

from panelbench.models import large_trees
from panelbench.models.base import Note, Observer
from panelbench.models.folds import Fold, period_folds
from panelbench.models.settings import RandomForestSettings, XGBoostSettings
from panelbench.models.stream import Stream
from panelbench.models.tabular import Regressor, Sample, TabularForecaster

TUNING_TREES = 300
TUNING_FOLDS = 3
ETAS = (0.01, 0.05, 0.1)
DEPTHS = (3, 5, 7)
PENALTIES = (0.1, 1.0, 10.0, 100.0)
"""The course's grid (homework 4, question 2)."""


def random_forest(
    settings: RandomForestSettings, seed: int, threads: int, observe: Observer | None
) -> TabularForecaster:
    """Build a random forest; the seed draws its bootstrap rows and the features tried at each split.

    The notes hold the out-of-bag R squared and root mean squared error (each row forecast by the trees
    that did not see it; rows of one series are alike, so this is no forecast of the future). They are left
    out where the trees are too few for every row to be out of some tree's bag.
    """
    del observe

    def fit_step(sample: Sample | Stream) -> tuple[Regressor, dict[str, Note]]:
        forest = RandomForestRegressor(
            n_estimators=settings.trees,
            max_features=None if settings.max_features == "all" else settings.max_features,
            min_samples_leaf=settings.min_leaf,
            bootstrap=True,
            oob_score=True,
            random_state=seed,
            n_jobs=threads,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.filterwarnings("always", message="Some inputs do not have OOB scores")
            forest.fit(sample.x, sample.y)
        notes: dict[str, Note] = {"leaves": sum(int(tree.get_n_leaves()) for tree in forest.estimators_)}
        if not any("OOB" in str(each.message) for each in caught):
            error = sample.y - forest.oob_prediction_
            notes |= {"oob_r2": float(forest.oob_score_), "oob_rmse": float(np.sqrt(np.mean(error**2)))}
        return forest, notes

    return TabularForecaster(settings, fit_step, coefficients=False)


def xgboost(
    settings: XGBoostSettings, seed: int, threads: int, observe: Observer | None
) -> TabularForecaster:
    """Build gradient-boosted trees; the seed draws the rows and features of each tree."""
    del observe

    def fit_step(sample: Sample | Stream) -> tuple[Regressor, dict[str, Note]]:
        chosen = {
            "learning_rate": settings.eta,
            "max_depth": settings.depth,
            "reg_lambda": settings.reg_lambda,
        }
        notes: dict[str, Note] = {}
        trees = settings.trees
        if settings.tune:
            trees = TUNING_TREES
            chosen, best = _tuned(_regressor(settings, trees, seed, threads), sample, chosen)
            notes = {
                "eta": chosen["learning_rate"],
                "depth": int(chosen["max_depth"]),
                "reg_lambda": chosen["reg_lambda"],
                "cv_rmse": best,
            }
        regressor = _regressor(settings, trees, seed, threads).set_params(**chosen)
        model: XGBRegressor | large_trees.Boosted
        if isinstance(sample, Stream):
            model = large_trees.fit(sample, regressor.get_xgb_params(), trees)
        else:
            model = regressor.fit(sample.x, sample.y)
        frame = model.get_booster().trees_to_dataframe()
        notes["leaves"] = int((frame["Feature"] == "Leaf").sum())
        return model, notes

    return TabularForecaster(settings, fit_step, coefficients=False)


def _regressor(settings: XGBoostSettings, trees: int, seed: int, threads: int) -> XGBRegressor:
    return XGBRegressor(
        n_estimators=trees,
        subsample=settings.row_sample,
        colsample_bytree=settings.column_sample,
        random_state=seed,
        n_jobs=threads,
    )


def _tuned(
    model: XGBRegressor, sample: Sample | Stream, start: dict[str, float]
) -> tuple[dict[str, float], float]:
    """Choose shrinkage and depth together, then the penalty: the course's nine fits, then four.

    Returns
    -------
    tuple
        The choice and its cross-validated root mean squared error, averaged over the folds.
    """
    folds = period_folds(sample.origin, TUNING_FOLDS, sample.step)
    pairs = ({**start, "learning_rate": eta, "max_depth": depth} for eta, depth in product(ETAS, DEPTHS))
    chosen, _ = _best(model, sample, folds, pairs)
    return _best(model, sample, folds, ({**chosen, "reg_lambda": penalty} for penalty in PENALTIES))


def _best(
    model: XGBRegressor, sample: Sample | Stream, folds: list[Fold], candidates: Iterable[dict[str, float]]
) -> tuple[dict[str, float], float]:
    """Return the candidate with the lowest mean root mean squared error over the folds, and that error."""
    scored = []
    for candidate in candidates:
        errors = []
        for early, late in folds:
            model.set_params(**candidate)
            if isinstance(sample, Stream):
                own = model.get_xgb_params()
                errors.append(large_trees.held_out_rmse(sample, own, TUNING_TREES, early, late))
                continue
            fitted = model.fit(sample.x[early], sample.y[early])
            errors.append(np.sqrt(np.mean((sample.y[late] - fitted.predict(sample.x[late])) ** 2)))
        scored.append((candidate, float(np.mean(errors))))
    return min(scored, key=lambda pair: pair[1])
