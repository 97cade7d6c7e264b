"""The check of the blocks themselves, by calendar date and without the code that cut them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from panelbench.audit.result import Check
from panelbench.audit.shapes import Shape
from panelbench.config.settings import SplitSettings
from panelbench.data import Task, Windows, build_task
from panelbench.panel import Panel
from panelbench.panel.grid import show


def blocks(panel: Panel, split: SplitSettings, shapes: Sequence[Shape]) -> Check:
    """Look every target up by date in the panel's own table and hold it against its block's dates."""
    table = panel.to_frame().set_index(["unique_id", "ds"])["y"]
    first_test = pd.Timestamp(panel.dates[panel.n_steps - split.test_steps])
    problems: list[str] = []
    n = 0
    for shape in shapes:
        task = build_task(panel, split, shape.example)
        found = _problems(panel, split, shape, task, table, first_test)
        problems.extend(f"{shape.names[0]}: {problem}" for problem in found)
        n += len(task.train) + len(task.test) + (len(task.valid) if task.valid else 0)
    return Check(
        id="blocks",
        title="No target is trained on and scored",
        disturbed="nothing: every window's targets are looked up by series and date",
        must_hold="training, validation and test targets lie in their own dates, in this order"
        f"{', where no leak is declared' if any(shape.example.leaks for shape in shapes) else ''}; each "
        "series is forecast exactly once from each test origin; a window ends where its targets begin",
        passed=not problems,
        detail=" ".join(problems) if problems else f"{n:,} windows checked.",
        n=n,
    )


def _problems(
    panel: Panel,
    split: SplitSettings,
    shape: Shape,
    task: Task,
    table: pd.Series,
    first_test: pd.Timestamp,
) -> list[str]:
    own = shape.example.validation_steps
    steps = split.validation_steps if own is None else own
    first_valid = pd.Timestamp(panel.dates[panel.n_steps - split.test_steps - steps])
    problems = []
    named = [("training", task.train, None, first_valid), ("test", task.test, first_test, None)]
    if task.valid is not None:
        named.append(("validation", task.valid, first_valid, first_test))
    for name, windows, earliest, before in named:
        dates = windows.target_dates()
        if earliest is not None and (dates < earliest.to_datetime64()).any():
            problems.append(f"a {name} target lies before {show(earliest)}.")
        if before is not None and not shape.example.leaks and (dates >= before.to_datetime64()).any():
            problems.append(f"a {name} target lies on or after {show(before)}.")
        if not _ends_before_targets(panel, windows):
            problems.append(f"a {name} window does not end in the period before its first target.")
        answers = task.truth if name == "test" else windows.y
        if answers is None or not np.array_equal(answers, _looked_up(panel, windows, table)):
            problems.append(f"a {name} target is not the panel's value of its date.")
    expected = panel.n_series * (split.test_steps - shape.example.horizon + 1)
    origins = set(zip(task.test.series.tolist(), task.test.origin.tolist(), strict=True))
    if len(task.test) != expected or len(origins) != expected:
        problems.append(
            f"{len(task.test):,} test windows ({len(origins):,} distinct), expected {expected:,}."
        )
    if task.test.y is not None:
        problems.append("the test windows carry their answers.")
    return problems


def _ends_before_targets(panel: Panel, windows: Windows) -> bool:
    """Return whether each window's dates and first target date are consecutive periods of the panel."""
    order = pd.Index(panel.dates)
    last_observed = order.get_indexer(pd.DatetimeIndex(windows.known.dates[windows.origin]))
    first_target = order.get_indexer(pd.DatetimeIndex(windows.target_dates()[:, 0]))
    last_value = windows.inputs()[:, -1, 0].astype(np.float64)
    observed = panel.y[windows.series, last_observed].astype(np.float32)
    return bool((first_target - last_observed == 1).all() and np.array_equal(last_value, observed))


def _looked_up(panel: Panel, windows: Windows, table: pd.Series) -> np.ndarray:
    """(n, H) the panel's values at the windows' target dates, found by name and date."""
    dates = windows.target_dates()
    names = np.asarray(panel.series, dtype=object)[np.repeat(windows.series, windows.horizon)]
    keys = pd.MultiIndex.from_arrays([names, pd.DatetimeIndex(dates.ravel())])
    values: np.ndarray = table.reindex(keys).to_numpy().reshape(dates.shape)
    return values
