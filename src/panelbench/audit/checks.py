"""The checks of what models read: disturb the future, compare bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from panelbench.audit.disturb import disturb
from panelbench.audit.result import Check, differing
from panelbench.audit.shapes import Shape, learned, seen, unscaled
from panelbench.config.settings import SplitSettings
from panelbench.data import Task, build_task
from panelbench.data.calendar import period_word
from panelbench.panel import Panel

ORIGINS = 3
"""Test targets at which the second check cuts: the first, the middle and the last."""


def training_block(panel: Panel, split: SplitSettings, shapes: Sequence[Shape]) -> Check:
    """Disturb everything from the first period after the training block; training must not move by a bit.

    Windows that are declared to reach over that boundary are left out: `declared_leaks` looks for them.
    """
    compared = moved = 0
    blamed: list[str] = []
    for shape in shapes:
        task = build_task(panel, split, shape.example)
        cutoff = task.split.train_end
        changed = disturb(panel, y_from=cutoff, past_from=cutoff, future_from=cutoff)
        other = build_task(changed, split, shape.example)
        before = [*_training_data(shape, task), *learned(shape.example, task.train)]
        after = [*_training_data(shape, other), *learned(shape.example, other.train)]
        n, differ = differing(before, after)
        compared, moved = compared + n, moved + differ
        if differ:
            blamed.append(shape.names[0])
    return Check(
        id="training_block",
        title="Training sees nothing after its cutoff",
        disturbed=f"every target and covariate from the first {period_word(panel.info.frequency)} after the "
        "training block",
        must_hold="training windows, targets, features and scalers stay the same, bit for bit",
        passed=moved == 0 and compared > 0,
        detail=_moved(compared, moved, blamed),
        n=compared,
    )


def _training_data(shape: Shape, task: Task) -> list[np.ndarray]:
    train = task.train
    if shape.example.leaks:
        train = train.take(train.origin + train.horizon < task.split.train_end)
    assert train.y is not None  # noqa: S101 - training windows carry their targets
    return [train.y, train.series, train.origin, *seen(shape.example, train)]


def each_origin(panel: Panel, split: SplitSettings, shapes: Sequence[Shape]) -> Check:
    """Disturb a target's period and all later ones; what a model reads for that target must not move.

    In the test block, and in the training block too: a feature that holds its own training target, or
    later ones, is a leak that the test block does not show. Known-ahead covariates up to the target's own
    period are left alone where the experiment reads them ahead, and disturbed with the rest where it does
    not. Rows with later origins must move, or the check would prove nothing.
    """
    compared = moved = blind = 0
    blamed: list[str] = []
    word = period_word(panel.info.frequency)
    for shape in shapes:
        task = build_task(panel, split, shape.example)
        for block, target in _targets(panel, shape, task):
            known_until = target + shape.example.horizon if shape.example.covariates == "ahead" else target
            changed = disturb(panel, y_from=target, past_from=target, future_from=known_until)
            other = build_task(changed, split, shape.example)
            if shape.example.leaks and block == "test":  # its training targets: see `declared_leaks`
                other = replace(other, train=task.train)
            origin = getattr(task, block).origin
            rows, later = origin < target, origin >= target
            n, differ = differing(_read(shape, task, block, rows), _read(shape, other, block, rows))
            compared, moved = compared + n, moved + differ
            if differ:
                blamed.append(shape.names[0])
            seen_later = differing(_read(shape, task, block, later), _read(shape, other, block, later))
            blind += int(seen_later[0] > 0 and seen_later[1] == 0)
    detail = _moved(compared, moved, blamed)
    if blind:
        detail += " The disturbance did not reach the rows after it, so this check proves nothing here."
    return Check(
        id="each_origin",
        title=f"A forecast sees nothing of its own {word} or later",
        disturbed=f"the target of a test or training {word} and everything later (known-ahead columns of it "
        "aside)",
        must_hold=f"windows, features and scaling read for that {word} and all earlier ones stay the same",
        passed=moved == 0 and compared > 0 and blind == 0,
        detail=detail,
        n=compared,
    )


def _targets(panel: Panel, shape: Shape, task: Task) -> list[tuple[str, int]]:
    """Return blocks and the targets at which they are cut: three of the test's, the middle of training's."""
    first, last = task.split.valid_end, panel.n_steps - shape.example.horizon
    cuts = [("test", int(target)) for target in np.unique(np.linspace(first, last, ORIGINS).astype(int))]
    origins = np.unique(task.train.origin)
    return [*cuts, ("train", int(origins[len(origins) // 2]))] if len(origins) > 1 else cuts


def _read(shape: Shape, task: Task, block: str, rows: np.ndarray) -> list[np.ndarray]:
    """Return what is read of some rows of a block; for the test block, what scales them included.

    The scale of the training block is learned from the whole of it, which is no leak.
    """
    windows = getattr(task, block)
    read = seen(shape.example, windows.take(rows))
    if block == "test":
        read += [part[rows] for part in unscaled(shape.example, task.train, windows)]
    return read


def _moved(compared: int, moved: int, blamed: Sequence[str]) -> str:
    """Return the outcome of a comparison in one sentence."""
    if not moved:
        return f"{compared:,} numbers compared, none moved."
    names = ", ".join(dict.fromkeys(blamed))
    return f"{moved:,} of {compared:,} numbers moved (read by: {names})."
