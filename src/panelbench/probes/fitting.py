"""Fit one model of a probe and say what it took."""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from panelbench.data import Windows
from panelbench.models import registry
from panelbench.models.errors import Diverged
from panelbench.models.settings import ExperimentSettings
from panelbench.train.fit import seed_everything, warm_up

LEARNING, SCORING = 1, 2
"""Streams of random numbers: what is learned from is never what is scored."""


def fit_and_score(
    settings: ExperimentSettings, seed: int, train: Windows, test: Windows, truth: NDArray[np.float64]
) -> tuple[float | None, float, int]:
    """Return the mean squared error on `test`, processor seconds of the fit, and the parameters' number.

    A training that diverges has no error: None.
    """
    seed_everything(seed, settings.model)
    warm_up()
    model = registry.build(settings, seed)
    started = time.process_time()
    try:
        model.fit(train, None)
        seconds = time.process_time() - started
        residual = model.predict(test) - truth
    except Diverged:
        return None, round(time.process_time() - started, 3), model.n_parameters() or 0
    return float(np.mean(residual**2)), round(seconds, 3), model.n_parameters() or 0


def epochs_for(updates: int, windows: int, batch_size: int) -> int:
    """Return how many passes over the windows come nearest to the wanted number of updates; at least one."""
    return max(1, round(updates / math.ceil(windows / batch_size)))
