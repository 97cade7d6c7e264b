"""Forecasts of the same rows, one at a time and many at a time: the score must not depend on it."""

from __future__ import annotations

import numpy as np

from panelbench.data import Task
from panelbench.models.base import Forecaster

BATCHES = (1, 7, 128)
"""Batch sizes at which the same test rows are forecast."""
TOLERANCE = 1e-5
"""Relative; sums in float32 are ordered differently for another batch size, so bits may differ."""


def in_words(tolerance: float) -> str:
    """Return a relative tolerance as a reader would say it: "one part in 100,000"."""
    return f"one part in {round(1 / tolerance):,}"


def batch_problems(forecaster: Forecaster, task: Task, most: int) -> tuple[list[str], int]:
    """Return what goes wrong when `most` test rows are forecast in batches, and how many were compared."""
    rows = np.unique(np.linspace(0, len(task.test) - 1, most).astype(int))
    truth = task.truth[rows]
    chosen = task.test.take(rows)
    whole = forecaster.predict(chosen)
    if whole.shape != truth.shape:
        return [f"{len(truth):,} rows were to be forecast and {len(whole):,} were."], len(truth)
    score = _rmse(whole, truth)
    problems = []
    for size in BATCHES:
        parts = [chosen.take(slice(first, first + size)) for first in range(0, len(rows), size)]
        forecasts = np.concatenate([forecaster.predict(part) for part in parts])
        if forecasts.shape != truth.shape:
            problems.append(f"at batch size {size}, {len(forecasts):,} of {len(truth):,} rows were forecast.")
        elif abs(_rmse(forecasts, truth) - score) > TOLERANCE * score:
            problems.append(
                f"at batch size {size} the RMSE is {_rmse(forecasts, truth):.6g}, not {score:.6g}."
            )
    return problems, len(truth) * (len(BATCHES) + 1)


def _rmse(forecasts: np.ndarray, truth: np.ndarray) -> float:
    return float(np.sqrt(np.mean((forecasts - truth) ** 2)))
