"""The checks of fitted models: the same coefficients, the same forecasts, whatever the batch size."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from panelbench.audit.disturb import disturb
from panelbench.audit.result import Check, differing
from panelbench.config.settings import SplitSettings
from panelbench.data import Task, build_task
from panelbench.models import registry
from panelbench.models.base import Forecaster
from panelbench.models.network_settings import NetworkSettings
from panelbench.models.settings import ExperimentSettings, LassoSettings
from panelbench.panel import Panel

TRAINING_WINDOWS = 512
"""A network is trained on about this many windows for one epoch: enough to move every weight."""
BATCHES = (1, 7, 128)
"""Batch sizes at which the same test rows are forecast."""
ROWS = 300
"""Test rows forecast at each batch size."""
TOLERANCE = 1e-5
"""Relative; sums in float32 are ordered differently for another batch size, so bits may differ."""


def fitted_linear(panel: Panel, split: SplitSettings, experiments: Mapping[str, ExperimentSettings]) -> Check:
    """Fit the LASSO with and without everything after the training block disturbed."""
    lassos = {name: s for name, s in experiments.items() if isinstance(s, LassoSettings)}
    chosen = lassos or {"lasso (not declared, default settings)": LassoSettings(model="lasso")}
    compared = moved = 0
    for settings in chosen.values():
        task = build_task(panel, split, settings)
        cutoff = task.split.train_end
        other = build_task(
            disturb(panel, y_from=cutoff, past_from=cutoff, future_from=cutoff), split, settings
        )
        before, after = _fit(settings, task), _fit(settings, other)
        # Without a validation block the last training week serves: every lag reaches into the panel there.
        probe = task.valid or task.train.take(task.train.origin == task.train.origin.max())
        n, differ = differing([before.predict(probe)], [after.predict(probe)])
        compared, moved = compared + n, moved + differ
    return Check(
        id="fitted_lasso",
        title="The fitted LASSO does not know the future",
        disturbed="every target and covariate from the first week after the training block",
        must_hold="the refitted model (penalty chosen anew) gives the same forecasts, bit for bit",
        passed=moved == 0 and compared > 0,
        detail=f"{', '.join(chosen)}: {compared:,} forecasts compared, {moved:,} moved.",
        n=compared,
    )


def _fit(settings: ExperimentSettings, task: Task) -> Forecaster:
    forecaster = registry.build(settings, seed=0, threads=1, observe=None)
    forecaster.fit(task.train, task.valid)
    return forecaster


def _quick(panel: Panel, split: SplitSettings, settings: NetworkSettings) -> tuple[Forecaster, Task]:
    """Train a network briefly on evenly spaced windows of the training block.

    Where the gradient leads says nothing on leaks, so the step is the default one: an experiment whose own
    step diverges is for `train` to record.
    """
    task = build_task(panel, split, settings)
    rows = np.unique(np.linspace(0, len(task.train) - 1, TRAINING_WINDOWS).astype(int))
    usual = {name: NetworkSettings.model_fields[name].default for name in ("learning_rate", "clip_norm")}
    brief = settings.model_copy(update={**usual, "epochs": 1, "device": "cpu"})
    forecaster = registry.build(brief, seed=0, threads=1, observe=None)
    forecaster.fit(task.train.take(rows), None)
    return forecaster, task


def fitted_networks(
    panel: Panel, split: SplitSettings, experiments: Mapping[str, ExperimentSettings]
) -> list[Check]:
    """Train each kind of network briefly; disturb the future of its test rows and vary the batch size."""
    kinds: dict[str, tuple[str, NetworkSettings]] = {}
    for name, settings in experiments.items():
        if isinstance(settings, NetworkSettings):
            kinds.setdefault(settings.model, (name, settings))
    if not kinds:
        return []
    future = [0, 0]
    sizes: list[str] = []
    rows_compared = 0
    for name, settings in kinds.values():
        forecaster, task = _quick(panel, split, settings)
        for position, count in enumerate(_future_moves(panel, split, settings, forecaster, task)):
            future[position] += count
        found, n = _batch_problems(forecaster, task)
        sizes += [f"{name}: {problem}" for problem in found]
        rows_compared += n
    names = ", ".join(name for name, _ in kinds.values())
    return [
        Check(
            id="fitted_networks",
            title="A trained network's forecast does not move with the future",
            disturbed="the middle test week's target and everything later (known-ahead columns of it aside)",
            must_hold="forecasts of that week and all earlier ones stay the same, bit for bit",
            passed=future[1] == 0 and future[0] > 0,
            detail=f"{names} (one epoch each): {future[0]:,} forecasts compared, {future[1]:,} moved.",
            n=future[0],
        ),
        Check(
            id="batch_size",
            title="The score does not depend on the batch size",
            disturbed=f"the number of test windows forecast at once: {', '.join(map(str, BATCHES))}, all",
            must_hold=f"every test row is forecast, and the RMSE is the same to {TOLERANCE:g} of itself",
            passed=not sizes and rows_compared > 0,
            detail=" ".join(sizes) if sizes else f"{names}: {rows_compared:,} forecasts compared.",
            n=rows_compared,
        ),
    ]


def _future_moves(
    panel: Panel, split: SplitSettings, settings: NetworkSettings, forecaster: Forecaster, task: Task
) -> tuple[int, int]:
    """Return how many forecasts were compared and how many moved when the second half's future changed."""
    target = (task.split.valid_end + panel.n_steps) // 2
    known = target + settings.horizon if settings.covariates == "ahead" else target
    changed = disturb(panel, y_from=target, past_from=target, future_from=known)
    other = build_task(changed, split, settings)
    rows = np.flatnonzero(task.test.origin < target)
    return differing([forecaster.predict(task.test.take(rows))], [forecaster.predict(other.test.take(rows))])


def _batch_problems(forecaster: Forecaster, task: Task) -> tuple[list[str], int]:
    """Return what goes wrong when the same rows are forecast in batches, and how many were compared."""
    rows = np.unique(np.linspace(0, len(task.test) - 1, ROWS).astype(int))
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
