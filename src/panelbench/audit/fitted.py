"""The checks of fitted models: the same coefficients, the same forecasts, whatever the batch size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from panelbench.audit import brief
from panelbench.audit.batch_size import BATCHES, TOLERANCE, batch_problems, in_words
from panelbench.audit.control import depends, unmoved
from panelbench.audit.disturb import disturb
from panelbench.audit.opened import opened_files, quick_and_watched
from panelbench.audit.result import Check, differing
from panelbench.config.settings import SplitSettings
from panelbench.data import Task, Windows, build_task
from panelbench.data.calendar import period_word
from panelbench.models import registry
from panelbench.models.base import Forecaster
from panelbench.models.settings import ExperimentSettings, LassoSettings
from panelbench.panel import Panel

ROWS, FEWEST = 300, 24
"""Test rows that are forecast at most; and at least, where there are as many."""
EPOCHS = 3
"""Of a network while it watches a validation block: enough to prefer one epoch to another."""
FAR = 10.0
"""How far validation targets are moved, in units of the largest training target."""


def fitted_linear(
    panel: Panel, split: SplitSettings, experiments: Mapping[str, ExperimentSettings]
) -> list[Check]:
    """Fit each LASSO as it is declared, with and without everything after the training block disturbed.

    One that is declared to train on test targets would move, and is left to `declared_leaks`.
    """
    lassos = {name: s for name, s in experiments.items() if isinstance(s, LassoSettings) and not s.leaks}
    compared = moved = 0
    for name, settings in lassos.items():
        with brief.naming(name):
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
            disturbed=f"every target and covariate from the first {period_word(panel.info.frequency)} after "
            "the training block",
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
    panel: Panel,
    split: SplitSettings,
    experiments: Mapping[str, ExperimentSettings],
    folder: Path = Path("data"),
) -> list[Check]:
    """Fit each kind of model briefly; disturb the future of its test rows and vary the batch size.

    Meanwhile the project's data `folder` is watched: a model opens no file there.
    """
    chosen = brief.kinds(experiments)
    compared = moved = rows_compared = 0
    blamed: list[str] = []
    blind: list[str] = []
    sizes: list[str] = []
    opened: dict[str, list[str]] = {}
    word = period_word(panel.info.frequency)
    for name, settings in chosen.items():
        with brief.naming(name):
            forecaster, task, opened[name] = quick_and_watched(panel, split, settings, folder)
        n, differ, depending = _future_moves(panel, split, settings, forecaster, task)
        compared, moved = compared + n, moved + differ
        blind += [] if depending else [name]
        blamed += [name] if differ else []
        found, n = batch_problems(forecaster, task, _affordable(settings))
        sizes += [f"{name}: {problem}" for problem in found]
        rows_compared += n
    return [
        Check(
            id="fitted_models",
            title="A fitted model's forecast does not move with the future",
            disturbed=f"the target of the middle test {word} and everything later (known-ahead columns of it "
            "aside)",
            must_hold=f"forecasts of that {word} and all earlier ones stay the same, bit for bit",
            passed=moved == 0 and compared > 0 and not blind,
            detail=_outcome(chosen, compared, moved, blamed) + unmoved(blind),
            n=compared,
        ),
        Check(
            id="batch_size",
            title="The score does not depend on the batch size",
            disturbed=f"the number of test windows forecast at once: {', '.join(map(str, BATCHES))}, all",
            must_hold=f"every test row is forecast, and the RMSE is the same to {in_words(TOLERANCE)}",
            passed=not sizes and rows_compared > 0,
            detail=" ".join(sizes)
            if sizes
            else f"{', '.join(chosen)}: {rows_compared:,} forecasts compared.",
            n=rows_compared,
        ),
        opened_files(opened),
    ]


def validation_unused(
    panel: Panel, split: SplitSettings, experiments: Mapping[str, ExperimentSettings]
) -> list[Check]:
    """Fit each kind of model beside two validation blocks whose targets lie far above and far below.

    A model that trains on the block, scales by what was observed in it, or keeps the epoch that did best on
    it, comes out differently.
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
        cutoff = task.split.train_end
        changed = disturb(panel, y_from=cutoff, past_from=cutoff, future_from=cutoff)
        other = build_task(changed, split, settings).valid
        assert other is not None  # noqa: S101 - cut as the first one was
        # Behind one of the two lies another history of the block: what was observed in it is in `known`.
        high, low = (
            brief.fit(settings, train, _moved_targets(task.train, valid, sign), EPOCHS)
            for valid, sign in ((task.valid, 1.0), (other, -1.0))
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
            disturbed="every validation target: far above all others, then far below; what is observed there",
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
) -> tuple[int, int, bool]:
    """Disturb the second half's future.

    Returns
    -------
    tuple
        How many forecasts were compared, how many moved, and whether they depend on anything at all.
    """
    target = (task.split.valid_end + panel.n_steps) // 2
    known = target + settings.horizon if settings.covariates == "ahead" else target
    changed = disturb(panel, y_from=target, past_from=target, future_from=known)
    other = build_task(changed, split, settings)
    rows = np.flatnonzero(task.test.origin < target)
    # The latest of them come closest to what was disturbed, so they are among those compared.
    some = rows[np.argsort(task.test.origin[rows], kind="stable")]
    rows = np.sort(some[np.unique(np.linspace(0, len(some) - 1, _affordable(settings)).astype(int))])
    before, after = (forecaster.predict(one.test.take(rows)) for one in (task, other))
    return *differing([before], [after]), depends(panel, split, settings, forecaster, task, rows)


def _affordable(settings: ExperimentSettings) -> int:
    """Return how many test rows to forecast: fewer where each takes a forecast a step."""
    return max(FEWEST, ROWS // settings.horizon) if settings.mode == "recursive" else ROWS
