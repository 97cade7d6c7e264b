"""The check that a model knows what its windows say and nothing that it has read by itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from panelbench.audit import brief
from panelbench.audit.result import Check
from panelbench.config.settings import SplitSettings
from panelbench.data import Task
from panelbench.data.seal import Opened, sealed
from panelbench.models.base import Forecaster
from panelbench.models.settings import ExperimentSettings
from panelbench.panel import Panel

ROWS = 100
"""Test rows that are forecast meanwhile."""
SHOWN = 3
"""Files named for each model."""


def quick_and_watched(
    panel: Panel, split: SplitSettings, settings: ExperimentSettings, folder: Path
) -> tuple[Forecaster, Task, list[str]]:
    """Return a forecaster fitted briefly, its task, and the files in the data folder that it opened.

    Its import and a forecast are watched too. What only the operating system saw may have been another
    program, such as a backup, so it counts if it happens again.
    """
    forecaster, task, opened = _watched(panel, split, settings, folder)
    if opened.here or not opened.somewhere:
        return forecaster, task, opened.paths
    _, _, again = _watched(panel, split, settings, folder)
    return forecaster, task, sorted({*opened.paths} & {*again.paths})


def _watched(
    panel: Panel, split: SplitSettings, settings: ExperimentSettings, folder: Path
) -> tuple[Forecaster, Task, Opened]:
    with sealed(folder, refuse=False) as opened:
        forecaster, task = brief.quick(panel, split, settings)
        forecaster.predict(task.test.take(np.unique(np.linspace(0, len(task.test) - 1, ROWS).astype(int))))
    return forecaster, task, opened


def opened_files(opened: Mapping[str, list[str]]) -> Check:
    """Return the check of what each model opened, by its experiment's name."""
    blamed = [
        f"{name} opened {', '.join(paths[:SHOWN])}{' and others' if len(paths) > SHOWN else ''}."
        for name, paths in opened.items()
        if paths
    ]
    return Check(
        id="opened_files",
        title="No model opens the data by itself",
        disturbed="nothing: the data folder is watched while each model is fitted briefly and forecasts",
        must_hold="no file in it is opened; all that a model may know is in the windows it is given",
        passed=not blamed and bool(opened),
        detail=" ".join(blamed) or f"{', '.join(opened)} (fitted briefly): no file opened.",
        n=len(opened),
    )
