"""One brief fit of each kind of model: long enough to depend on everything that a real fit reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from panelbench.config.settings import SplitSettings
from panelbench.data import Task, Windows, build_task, feature_table
from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.models.base import Forecaster
from panelbench.models.network_settings import NetworkSettings
from panelbench.models.settings import ExperimentSettings, TabularSettings
from panelbench.panel import Panel

TRAINING_WINDOWS = 512
"""A model is trained on about this many windows: enough to move every weight."""
TREES = 10


READING = (
    "implementation",
    "mixing",
    "revin",
    "causal",
    "patch_length",
    "target",
    "pool",
    "head",
    "positions",
    "supervise",
)
"""Settings of a model that decide which code turns a window into a forecast."""


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Say which experiment it is whose settings do not fit the panel."""
    try:
        yield
    except InputError as error:
        raise InputError(f"params.yaml: experiments.{name}: {error}") from error


def kinds(experiments: Mapping[str, ExperimentSettings]) -> dict[str, ExperimentSettings]:
    """Return the first declared experiment of each kind, by its name.

    A kind is a model, a way to forecast several periods, and whatever else decides which code reads a window.
    """
    first: dict[tuple[object, ...], str] = {}
    for name, settings in experiments.items():
        own = tuple(getattr(settings, key, None) for key in READING)
        first.setdefault((settings.model, settings.mode, *own), name)
    return {name: experiments[name] for name in first.values()}


def shorten(settings: ExperimentSettings, epochs: int = 1) -> ExperimentSettings:
    """Return settings that fit in a moment.

    Where the gradient leads says nothing on leaks, so the step is the default one: an experiment whose own
    step diverges is for `train` to record. Nothing is tuned, compiled or rounded, for the same reason.
    """
    fields = type(settings).model_fields
    changes: dict[str, Any] = {}
    if isinstance(settings, NetworkSettings):
        usual = ("learning_rate", "clip_norm", "precision", "compile")
        changes = {name: fields[name].default for name in usual}
        changes |= {"epochs": epochs, "device": "cpu"}
    changes |= {"tune": False} if "tune" in fields else {}
    changes |= {"trees": min(TREES, getattr(settings, "trees", TREES))} if "trees" in fields else {}
    changes |= {"alpha": getattr(settings, "alpha", None) or 1.0} if "alpha" in fields else {}
    return settings.model_copy(update=changes)


def some(settings: ExperimentSettings, train: Windows) -> Windows:
    """Return evenly spaced training windows; for a tabular model, of those that have every feature."""
    usable: NDArray[np.int64] = np.arange(len(train))
    if isinstance(settings, TabularSettings):
        complete = np.flatnonzero(feature_table(train, settings.features).complete())
        usable = complete if len(complete) else usable  # else fitting says what is wrong
    places = np.unique(np.linspace(0, len(usable) - 1, TRAINING_WINDOWS).astype(int))
    return train.take(usable[places])


def fit(
    settings: ExperimentSettings, train: Windows, valid: Windows | None = None, epochs: int = 1
) -> Forecaster:
    """Return a forecaster fitted briefly on the given windows."""
    forecaster = registry.build(shorten(settings, epochs), seed=0, threads=1, observe=None)
    forecaster.fit(train, valid)
    return forecaster


def quick(panel: Panel, split: SplitSettings, settings: ExperimentSettings) -> tuple[Forecaster, Task]:
    """Return a forecaster fitted briefly on some of the training block, and its task."""
    task = build_task(panel, split, settings)
    return fit(settings, some(settings, task.train)), task
