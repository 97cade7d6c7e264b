"""Panels that differ from the real one only where a model must not look."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from panelbench.panel import Panel

SEED = 20_200_229
"""Any number does; it is fixed so that the audit's outcome is the same bytes each time."""


def disturb(panel: Panel, *, y_from: int, past_from: int, future_from: int) -> Panel:
    """Return a copy with target, past and known-ahead covariates replaced from the given periods on.

    The replacement is noise far outside the usual range, so a value that leaks moves every mean,
    scale and coefficient it touches.

    Parameters
    ----------
    y_from, past_from, future_from
        Index of the first period that is replaced in `y`, `past` and `future`.
    """
    rng = np.random.default_rng(SEED)
    return replace(
        panel,
        y=_replaced(panel.y, y_from, rng),
        past=_replaced(panel.past, past_from, rng),
        future=_replaced(panel.future, future_from, rng),
    )


def _replaced(values: NDArray[np.float64], start: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a copy of (S, T, ...) values with noise from period `start` on."""
    changed = values.copy()
    tail = changed[:, start:]
    if tail.size:
        scale = 10.0 * (np.abs(values).max() + 1.0)
        tail[...] = scale * (1.0 + rng.random(tail.shape))
    return changed
