"""The check of recursive forecasts: after its origin, a forecast is made from its own values alone.

The check of all fitted models cuts the panel at one period, so that a recursive forecast made well before it
may read true values up to there unnoticed. Here every row is cut at its own origin.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from panelbench.audit.brief import kinds, quick
from panelbench.audit.control import depends, unmoved
from panelbench.audit.disturb import disturb
from panelbench.audit.result import Check, differing
from panelbench.config.settings import SplitSettings
from panelbench.data import build_task
from panelbench.models.settings import ExperimentSettings
from panelbench.panel import Panel

ORIGINS = 3
"""Origins in the test block that are tried: the first, the middle and the last."""


def recursive_forecasts(
    panel: Panel, split: SplitSettings, experiments: Mapping[str, ExperimentSettings]
) -> list[Check]:
    """Fit each kind of recursive model briefly and disturb everything after the origin of its forecasts.

    Known-ahead columns of the periods to be forecast are left alone where the experiment reads them ahead. As
    a control everything is disturbed (`control.py`): some must move, or the check would prove nothing.
    """
    chosen = {name: one for name, one in kinds(experiments).items() if one.mode == "recursive"}
    if not chosen:
        return []
    compared = moved = 0
    blamed, blind = [], []
    for name, settings in chosen.items():
        n, differ, control = _moves(panel, split, settings)
        compared, moved = compared + n, moved + differ
        blamed += [name] if differ else []
        blind += [] if control else [name]
    detail = f"{', '.join(chosen)} (fitted briefly): {compared:,} forecasts compared, {moved:,} moved"
    detail += f" (of: {', '.join(blamed)})." if blamed else "."
    detail += unmoved(blind)
    return [
        Check(
            id="recursive_forecasts",
            title="A recursive forecast reads no true value after its origin",
            disturbed="for forecasts of one origin, every target and past covariate after it, and "
            "known-ahead columns after the last step",
            must_hold="all steps stay the same, bit for bit: what is fed back is the model's own forecast",
            passed=not blamed and not blind and compared > 0,
            detail=detail,
            n=compared,
        )
    ]


def _moves(panel: Panel, split: SplitSettings, settings: ExperimentSettings) -> tuple[int, int, bool]:
    """Return how many forecasts were compared, how many moved, and whether the control did."""
    forecaster, task = quick(panel, split, settings)
    compared = moved = 0
    control = False
    origins = np.unique(task.test.origin)
    for origin in origins[np.unique(np.linspace(0, len(origins) - 1, ORIGINS).astype(int))]:
        rows = task.test.origin == origin
        later = int(origin) + 1
        known_until = later + settings.horizon if settings.covariates == "ahead" else later
        changed = disturb(panel, y_from=later, past_from=later, future_from=known_until)
        other = build_task(changed, split, settings)
        n, differ = differing(
            [forecaster.predict(task.test.take(rows))], [forecaster.predict(other.test.take(rows))]
        )
        compared, moved = compared + n, moved + differ
        control = control or depends(panel, split, settings, forecaster, task, rows)
    return compared, moved, control
