"""Folds for choosing a setting inside the training block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import TimeSeriesSplit

from panelbench.errors import InputError

Int = NDArray[np.int64]
Fold = tuple[Int, Int]


def period_folds(origin: Int, splits: int, horizon_step: int = 1) -> list[Fold]:
    """Return expanding folds over periods: every series is in both sides, and the held-out side is later.

    Parameters
    ----------
    origin
        (n,) last observed period of each row, in any order.
    splits
        Number of folds.
    horizon_step
        Forecast step h. The h - 1 periods before a held-out block are left out of its training side,
        since their targets are not observed yet when the first held-out forecast is made.

    Raises
    ------
    InputError
        If there are too few periods.
    """
    periods = np.unique(origin)
    if len(periods) // (splits + 1) < horizon_step:
        raise InputError(
            f"The training block has {len(periods)} period{'s' if len(periods) != 1 else ''} with all "
            f"features, too few for {splits} folds of forecasts {horizon_step} ahead. Use fewer `splits`, a "
            "larger `train_fraction` where it is below 1, or smaller test and validation blocks."
        )
    cutter = TimeSeriesSplit(splits, gap=horizon_step - 1)
    return [
        (np.flatnonzero(np.isin(origin, periods[early])), np.flatnonzero(np.isin(origin, periods[late])))
        for early, late in cutter.split(periods)
    ]


def row_folds(n: int, splits: int) -> list[Fold]:
    """Return the course's folds: expanding over rows as they come, series after series.

    With rows sorted by series these hold out later *series* over the same dates; kept because the
    published figures were made with them.

    Raises
    ------
    InputError
        If there are too few rows.
    """
    if n <= splits:
        raise InputError(f"{n} training rows are too few for {splits} folds. Use fewer `splits`.")
    return list(TimeSeriesSplit(splits).split(np.empty(n)))
