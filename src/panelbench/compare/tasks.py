"""What may be compared with what: experiments of one horizon make a task, and tasks are kept apart.

The error of a forecast one period ahead and the mean error over 24 steps are different quantities over
different rows, so no table, group or test mixes them. Direct and recursive forecasts of the same horizon
answer the same question over the same rows and stand in one task.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from panelbench.compare.runs import Outcome
from panelbench.compare.schema import Task
from panelbench.models.settings import MODES


@dataclass(frozen=True)
class Group:
    """A task and its experiments, finished or not, in the order of params.yaml."""

    task: Task
    names: tuple[str, ...]


def tasks(outcomes: Mapping[str, Outcome], usual: int = 1) -> list[Group]:
    """Divide the declared experiments into tasks, the main one first.

    Parameters
    ----------
    usual
        The horizon under `defaults` in params.yaml: its task is the main one, if it has an experiment
        to rank (one whose split does not leak). The others follow by number of such experiments, then
        by horizon.
    """
    by_horizon: dict[int, list[str]] = {}
    for name, outcome in outcomes.items():
        by_horizon.setdefault(outcome.horizon, []).append(name)

    def place(horizon: int) -> tuple[bool, int, int]:
        sound = sum(not outcomes[name].leaks for name in by_horizon[horizon])
        return horizon != usual or not sound, -sound, horizon

    return [
        Group(_task(horizon, [outcomes[name] for name in by_horizon[horizon]]), tuple(by_horizon[horizon]))
        for horizon in sorted(by_horizon, key=place)
    ]


def _task(horizon: int, outcomes: list[Outcome]) -> Task:
    present = {outcome.mode for outcome in outcomes}
    modes = tuple(mode for mode in MODES if mode in present)
    if horizon == 1:
        return Task(id="one_step", title="Rolling one-step forecasts", horizon=1, modes=modes)
    words = " and ".join(MODES[mode].removesuffix(" multi-step") for mode in modes)
    title = f"{words.capitalize()} multi-step forecasts, {horizon} periods ahead"
    return Task(id=f"multi_step_{horizon}", title=title, horizon=horizon, modes=modes)
