"""One experiment's entry in comparison.json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from panelbench.compare import slices
from panelbench.compare.metrics import DEFINITIONS, Scores
from panelbench.compare.robust import iqm_interval
from panelbench.compare.runs import Outcome
from panelbench.compare.schema import Experiment, Interval, Spread, StepError
from panelbench.compare.spread import spread
from panelbench.config.settings import CompareSettings


def finished(
    outcome: Outcome,
    scores: Scores,
    periods: Interval,
    group: str,
    names: Sequence[str],
    settings: CompareSettings,
) -> Experiment:
    """Return the entry of an experiment with a finished seed.

    Parameters
    ----------
    periods
        Its mean RMSE with the interval over target periods.
    group
        Letters; empty for one that is not ranked.
    names
        The panel's series.
    """
    top = slices.top_series(scores, names)
    values = {metric: scores.values[metric] for metric in DEFINITIONS}
    return Experiment(
        **_identity(outcome),
        group=group,
        metrics={
            metric: spread(value, settings.confidence, outcome.deterministic)
            for metric, value in values.items()
        },
        scores={
            metric: tuple(one if np.isfinite(one) else None for one in value.tolist())
            for metric, value in values.items()
        },
        periods=periods,
        iqm=iqm_interval(scores, settings.confidence, settings.resamples, settings.seed),
        top_series=top,
        top_share=sum(one.share for one in top) if top else None,
        scaled_quartiles=slices.scaled_quartiles(scores),
        by_step=by_step(scores, settings.confidence),
    )


def unfinished(outcome: Outcome) -> Experiment:
    """Return the entry of an experiment without a finished seed: it keeps its place, and no figure."""
    nothing = Interval(estimate=None, reason="no seed finished")
    return Experiment(
        **_identity(outcome),
        group="",
        metrics={metric: Spread(n=0) for metric in DEFINITIONS},
        scores=dict.fromkeys(DEFINITIONS, ()),
        periods=nothing,
        iqm=nothing,
        top_series=(),
        top_share=None,
        scaled_quartiles=(),
        by_step=(),
    )


def by_step(scores: Scores, confidence: float) -> tuple[StepError, ...]:
    """Return the errors at each number of steps ahead, over seeds."""
    return tuple(
        StepError(
            step=place + 1,
            n=int(scores.rows_by_step[place]),
            rmse=spread(scores.rmse_by_step[:, place], confidence, scores.deterministic),
            mae=spread(scores.mae_by_step[:, place], confidence, scores.deterministic),
        )
        for place in range(scores.horizon)
    )


def _identity(outcome: Outcome) -> dict[str, Any]:
    return {
        "label": outcome.label,
        "model": outcome.model,
        "horizon": outcome.horizon,
        "mode": outcome.mode,
        "leaks": outcome.leaks,
        "deterministic": outcome.deterministic,
        "n_ok": len(outcome.seeds),
        "n_failed": len(outcome.failed),
        "seeds": outcome.seeds,
        "n_parameters": outcome.n_parameters,
    }
