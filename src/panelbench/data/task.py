"""One experiment's forecasting task: blocks to learn from, a test block without its answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from panelbench.config.settings import SplitSettings
from panelbench.data.split import Split
from panelbench.data.windows import Windows, cut_windows
from panelbench.panel import Panel


class TaskSettings(Protocol):
    """The part of an experiment's settings that shapes its task."""

    @property
    def lookback(self) -> int: ...
    @property
    def horizon(self) -> int: ...
    @property
    def covariates(self) -> str: ...
    @property
    def validation_steps(self) -> int | None: ...
    @property
    def train_fraction(self) -> float: ...
    @property
    def boundary(self) -> str: ...


@dataclass(frozen=True)
class Task:
    """What a forecaster gets, and the truth it is scored against.

    Attributes
    ----------
    train
        Windows with targets inside the training block; under `boundary: windows` those of its last
        horizon - 1 origins reach into the next one.
    valid
        Windows with targets inside the validation block; None where it is empty.
    test
        Windows of the test block; their `y` is None.
    truth
        (n_test, H) the withheld targets, read once, after prediction.
    """

    split: Split
    train: Windows
    valid: Windows | None
    test: Windows
    truth: NDArray[np.float64]


def build_task(panel: Panel, split: SplitSettings, settings: TaskSettings) -> Task:
    """Cut a panel into an experiment's three blocks.

    An experiment's own `validation_steps` wins over the split's. The test block is the same for all.

    `boundary: windows` cuts all windows first and divides them by position: a block ends with the window just
    before the next block's first one, so the targets of its last horizon - 1 windows lie in the next block.
    With `train_fraction` below one the earliest training origins are left out, the same for every series;
    what came before them is still history.

    Raises
    ------
    InputError
        If the panel is too short for the blocks, the lookback or the horizon.
    """
    own = settings.validation_steps
    steps = split.validation_steps if own is None else own
    blocks = Split.cut(panel.n_steps, split.test_steps, steps)

    def block(first: int, end: int) -> Windows:
        return cut_windows(panel, first, end, settings.lookback, settings.horizon, settings.covariates)

    scored = block(blocks.valid_end, blocks.n_steps)
    assert scored.y is not None  # noqa: S101 - cut_windows always gives targets; for the type checker
    reach = settings.horizon - 1 if settings.boundary == "windows" else 0
    train = _latest(block(0, blocks.train_end + reach), settings.train_fraction)
    valid = block(blocks.train_end, blocks.valid_end + reach) if steps else None
    return Task(blocks, train, valid, replace(scored, y=None), scored.y)


def _latest(train: Windows, fraction: float) -> Windows:
    """Return the windows of the most recent origins: at least one origin, rounded up."""
    if fraction == 1:
        return train
    origins = np.unique(train.origin)
    # 0.07 of 100 is 7; in binary it is a little more.
    count = max(1, math.ceil(round(fraction * len(origins), 9)))
    first = origins[-count]
    return train.take(train.origin >= first)
