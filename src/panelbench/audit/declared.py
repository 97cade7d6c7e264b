"""The audit's positive control: a leak that is declared must be found.

`boundary: windows` is the split that a well-known mistake makes: all windows are cut first and divided by
position, so the last training windows hold targets that are scored. An experiment that says so is let
through, and has to leak: an audit that did not notice would notice nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panelbench.audit.disturb import disturb
from panelbench.audit.result import Check
from panelbench.audit.shapes import Shape
from panelbench.config.settings import SplitSettings
from panelbench.data import build_task
from panelbench.panel import Panel


def declared_leaks(panel: Panel, split: SplitSettings, shapes: Sequence[Shape]) -> list[Check]:
    """Look for the leak of every experiment that is declared to have one, by date and by disturbance.

    By date, a training window leaks if one of its targets is a test target of its series. By disturbance, if
    a target of it moves with the test block. Both must name the same windows, and some.
    """
    outcomes, missed, n = [], False, 0
    for shape in shapes:
        if not shape.example.leaks:
            continue
        by_date, held = _by_date(panel, split, shape)
        by_disturbance = _by_disturbance(panel, split, shape)
        found = bool(by_date.any()) and np.array_equal(by_date, by_disturbance)
        missed |= not found
        n += len(by_date)
        said = (
            f"leaks, as declared: {int(by_date.sum()):,} training windows hold {held:,} test targets."
            if found
            else f"is declared to leak, and {int(by_date.sum()):,} training windows hold a test target by "
            f"date, {int(by_disturbance.sum()):,} by disturbance."
        )
        outcomes.append(f"{', '.join(shape.names)}: {said}")
    if not outcomes:
        return []
    return [
        Check(
            id="declared_leaks",
            title="A leak that is declared is found",
            disturbed="every target of the test block",
            must_hold="training targets move where an experiment is declared to share them with the test "
            "block, in the windows that hold them by date and in no other",
            passed=not missed,
            detail=" ".join(outcomes),
            n=n,
        )
    ]


def _by_date(panel: Panel, split: SplitSettings, shape: Shape) -> tuple[np.ndarray, int]:
    """Return which training windows hold a test target, (n,), and how many distinct ones all of them hold."""
    train = build_task(panel, split, shape.example).train
    dates = train.target_dates()
    held = np.isin(dates, panel.dates[panel.n_steps - split.test_steps :])
    series = np.broadcast_to(train.series[:, None], held.shape)
    distinct = set(zip(series[held].tolist(), dates[held].tolist(), strict=True))
    return np.asarray(held.any(axis=1)), len(distinct)


def _by_disturbance(panel: Panel, split: SplitSettings, shape: Shape) -> np.ndarray:
    """Return which training windows have a target that moves with the test block, (n,)."""
    end, first = panel.n_steps, panel.n_steps - split.test_steps
    changed = disturb(panel, y_from=first, past_from=end, future_from=end)
    before, after = (build_task(one, split, shape.example).train.y for one in (panel, changed))
    assert before is not None and after is not None  # noqa: S101, PT018 - training windows carry their targets
    return np.asarray((before != after).any(axis=1))
