"""The control of checks on fitted models: forecasts move with the data in some way, or nothing was shown.

A forecast that stays when the future is disturbed may stay because nothing at all can move it: a model that
keeps the true values of an earlier call returns them whatever it is given. One number for every window is no
fault, though, where the target is constant or a penalty leaves no coefficient; so a model may depend on what
was observed by what it reads, or by what it has learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from panelbench.audit.brief import fit, some
from panelbench.audit.disturb import disturb
from panelbench.config.settings import SplitSettings
from panelbench.data import Task, build_task
from panelbench.models.base import Forecaster
from panelbench.models.settings import ExperimentSettings
from panelbench.panel import Panel


def depends(
    panel: Panel,
    split: SplitSettings,
    settings: ExperimentSettings,
    forecaster: Forecaster,
    task: Task,
    rows: NDArray[Any],
) -> bool:
    """Return whether some forecast of the test rows moves with all that was observed, or known ahead.

    First what the fitted model reads is disturbed; where that moves nothing, what it is fitted on too.
    """
    before = forecaster.predict(task.test.take(rows))
    other = build_task(disturb(panel, y_from=0, past_from=0, future_from=0), split, settings)
    chosen = other.test.take(rows)
    if (forecaster.predict(chosen) != before).any():
        return True
    return bool((fit(settings, some(settings, other.train)).predict(chosen) != before).any())


def unmoved(names: Sequence[str]) -> str:
    """Return a sentence on models whose forecasts nothing moved, to follow others; empty without any."""
    if not names:
        return ""
    return f" Forecasts of {', '.join(names)} moved with nothing at all, which proves nothing."
