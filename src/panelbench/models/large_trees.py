"""Gradient boosting on a table of features too large to hold: XGBoost bins it part by part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xgboost
from numpy.typing import NDArray

from panelbench.models.stream import Float, Stream


class Parts(xgboost.DataIter):
    """Hands XGBoost the rows of a stream, part by part; only those for which `chosen` is true."""

    def __init__(self, stream: Stream, chosen: NDArray[np.bool_] | None = None) -> None:
        super().__init__()
        self._stream, self._chosen = stream, chosen
        self._parts = stream.parts()

    def next(self, input_data: Callable[..., Any]) -> bool:
        """Hand over the next part; False when there is none."""
        for rows, features in self._parts:
            kept = slice(None) if self._chosen is None else self._chosen[rows]
            y = self._stream.y[rows][kept]
            if len(y):
                input_data(data=features[kept].astype(np.float32), label=y)
                return True
        return False

    def reset(self) -> None:
        """Start again: XGBoost first looks for the bins' edges, then fills the bins."""
        self._parts = self._stream.parts()


class Boosted:
    """Boosted trees that predict."""

    def __init__(self, booster: xgboost.Booster) -> None:
        self._booster = booster

    def get_booster(self) -> xgboost.Booster:
        """Return the trees, as an `XGBRegressor` does."""
        return self._booster

    def predict(self, x: Float) -> Float:
        """Return (n,) predictions of (n, k) features."""
        return np.asarray(self._booster.inplace_predict(x.astype(np.float32)))


def fit(
    stream: Stream, parameters: dict[str, Any], trees: int, chosen: NDArray[np.bool_] | None = None
) -> Boosted:
    """Fit on the rows of a stream; parameters are named as in `XGBRegressor`."""
    own = {"random_state": "seed", "n_jobs": "nthread"}
    named = {own.get(name, name): value for name, value in parameters.items()}
    data = xgboost.QuantileDMatrix(Parts(stream, chosen), nthread=named.get("nthread"))
    return Boosted(xgboost.train(named, data, num_boost_round=trees))


def held_out_rmse(
    stream: Stream, parameters: dict[str, Any], trees: int, early: NDArray[np.int64], late: NDArray[np.int64]
) -> float:
    """Fit on some rows of a stream; return the root mean squared error on others."""
    train, held_out = np.zeros((2, len(stream.y)), dtype=np.bool_)
    train[early] = held_out[late] = True
    model = fit(stream, parameters, trees, train)
    squares = 0.0
    for rows, features in stream.parts():
        kept = held_out[rows]
        if kept.any():
            squares += float(np.square(stream.y[rows][kept] - model.predict(features[kept])).sum())
    return float(np.sqrt(squares / len(late)))
