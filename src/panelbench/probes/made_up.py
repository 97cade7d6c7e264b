"""A synthetic panel, and panels many times larger that hold it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from panelbench.config.settings import SplitSettings
from panelbench.data.task import Task, build_task
from panelbench.models.settings import ExperimentSettings
from panelbench.panel import Panel
from panelbench.panel.contract import check
from panelbench.panel.prepare import describe_panel
from panelbench.panel.settings import SyntheticSettings
from panelbench.panel.synthetic import build
from panelbench.probes.settings import PanelTask


@lru_cache(maxsize=1)
def panel_of(series: int, steps: int, seed: int) -> Panel:
    """Return the synthetic panel; kept, since a process fits many models on one."""
    settings = SyntheticSettings(source="synthetic", series=series, steps=steps, seed=seed)
    draft = build(settings, Path())
    frame, notes = check(draft)
    return Panel.from_frame(frame, describe_panel(settings, draft, frame, notes))


def task_of(wanted: PanelTask, settings: ExperimentSettings, times: int = 1, largest: int = 1) -> Task:
    """Return the task of a panel `times` times larger, its test block cut down to the panel's own series.

    The panel is the first series of the one `largest` times its size, so panels of all sizes hold it, and
    models that learn from any of them are scored on the same windows.
    """
    whole = panel_of(wanted.series * largest, wanted.steps, wanted.seed)
    split = SplitSettings(test_steps=wanted.test_steps, validation_steps=wanted.validation_steps)
    task = build_task(whole.take(np.arange(wanted.series * times)), split, settings)
    scored = task.test.series < wanted.series
    return replace(task, test=task.test.take(scored), truth=task.truth[scored])
