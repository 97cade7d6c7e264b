"""The checks of fitted models: the same coefficients, the same forecasts, whatever the batch size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from panelbench.audit import brief
from panelbench.audit.disturb import disturb
from panelbench.audit.result import Check, differing
from panelbench.config.settings import SplitSettings
from panelbench.data import Task, Windows, build_task
from panelbench.models import registry
from panelbench.models.base import Forecaster
from panelbench.models.settings import ExperimentSettings, LassoSettings
from panelbench.panel import Panel

BATCHES = (1, 7, 128)
"""Batch sizes at which the same test rows are forecast."""
ROWS = 300
"""Test rows forecast at each batch size."""
TOLERANCE = 1e-5
"""Relative; sums in float32 are ordered differently for another batch size, so bits may differ."""
EPOCHS = 3
"""Of a network while it watches a validation block: enough to prefer one epoch to another."""
FAR = 10.0
"""How far validation targets are moved, in units of the largest training target."""


def fitted_linear(
    panel: Panel, split: SplitSettings, experiments: Mapping[str, ExperimentSettings]
) -> list[Check]:
    """Fit each LASSO as it is declared, with and without everything after the training block disturbed."""
    lassos = {name: s for name, s in experiments.items() if isinstance(s, LassoSettings)}
    compared = moved = 0
    for settings in lassos.values():
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
    if not lassos:
        return []
    return [
        Check(
            id="fitted_lasso",
            title="The fitted LASSO does not know the future",
            disturbed="every target and covariate from the first week after the training block",
            must_hold="the refitted model (penalty chosen anew) gives the same forecasts, bit for bit",
            passed=moved == 0 and compared > 0,
            detail=f"{', '.join(lassos)}: {compared:,} forecasts compared, {moved:,} moved.",
            n=compared,
        )
    ]


def _fit(settings: ExperimentSettings, task: Task) -> Forecaster:
    forecaster = registry.build(settings, seed=0, threads=1, observe=None)
    forecaster.fit(task.train, task.valid)
    return forecaster


def fitted_models(
    panel: Panel, split: SplitSettings, experiments: Mapping[str, ExperimentSettings]
) -> list[Check]:
    """Fit each kind of model briefly; disturb the future of its test rows and vary the batch size."""
    chosen = brief.kinds(experiments)
    compared = moved = rows_compared = 0
    blamed: list[str] = []
    sizes: list[str] = []
    for name, settings in chosen.items():
        forecaster, task = brief.quick(panel, split, settings)
        n, differ = _future_moves(panel, split, settings, forecaster, task)
        compared, moved = compared + n, moved + differ
        blamed += [name] if differ else []
        found, n = _batch_problems(forecaster, task)
        sizes += [f"{name}: {problem}" for problem in found]
        rows_compared += n
    return [
        Check(
            id="fitted_models",
            title="A fitted model's forecast does not move with the future",
            disturbed="the middle test week's target and everything later (known-ahead columns of it aside)",
            must_hold="forecasts of that week and all earlier ones stay the same, bit for bit",
            passed=moved == 0 and compared > 0,
            detail=_outcome(chosen, compared, moved, blamed),
            n=compared,
        ),
        Check(
            id="batch_size",
            title="The score does not depend on the batch size",
            disturbed=f"the number of test windows forecast at once: {', '.join(map(str, BATCHES))}, all",
            must_hold=f"every test row is forecast, and the RMSE is the same to {TOLERANCE:g} of itself",
            passed=not sizes and rows_compared > 0,
            detail=" ".join(sizes)
            if sizes
            else f"{', '.join(chosen)}: {rows_compared:,} forecasts compared.",
            n=rows_compared,
        ),
    ]


def validation_unused(
    panel: Panel, split: SplitSettings, experiments: Mapping[str, ExperimentSettings]
) -> list[Check]:
    """Fit each kind of model beside two validation blocks whose targets lie far above and far below.

    A model that trains on the block, or keeps the epoch that did best on it, comes out differently.
    """
    compared = moved = 0
    blamed: list[str] = []
    watching: list[str] = []
    for name, settings in brief.kinds(experiments).items():
        task = build_task(panel, split, settings)
        if task.valid is None:
            continue
        watching.append(name)
        train = brief.some(settings, task.train)
        high, low = (
            brief.fit(settings, train, _moved_targets(task.train, task.valid, sign), EPOCHS)
            for sign in (1.0, -1.0)
        )
        probe = task.test.take(np.unique(np.linspace(0, len(task.test) - 1, ROWS).astype(int)))
        n, differ = differing([high.predict(probe)], [low.predict(probe)])
        compared, moved = compared + n, moved + differ
        blamed += [name] if differ else []
    if not watching:
        return []
    return [
        Check(
            id="validation_unused",
            title="Nothing is learned from the validation block",
            disturbed="every validation target: far above all others, then far below",
            must_hold="the model fitted beside either gives the same forecasts, bit for bit",
            passed=moved == 0 and compared > 0,
            detail=_outcome(watching, compared, moved, blamed),
            n=compared,
        )
    ]


def _moved_targets(train: Windows, valid: Windows, sign: float) -> Windows:
    """Return the validation windows with other targets and the same inputs.

    Targets far above make the loss fall while forecasts rise, targets far below the other way round: the
    two never agree on which epoch was best.
    """
    assert train.y is not None and valid.y is not None  # noqa: S101, PT018 - only test windows have none
    return replace(valid, y=np.full_like(valid.y, sign * FAR * (np.abs(train.y).max() + 1.0)))


def _outcome(names: Mapping[str, object] | list[str], compared: int, moved: int, blamed: list[str]) -> str:
    """Return the outcome of a comparison of forecasts in one sentence."""
    found = f"{compared:,} forecasts compared, {moved:,} moved"
    return f"{', '.join(names)} (fitted briefly): {found}" + (
        f" (of: {', '.join(blamed)})." if blamed else "."
    )


def _future_moves(
    panel: Panel, split: SplitSettings, settings: ExperimentSettings, forecaster: Forecaster, task: Task
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
