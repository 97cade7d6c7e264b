"""The distinct ways in which the declared experiments read the panel, each audited once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from panelbench.data import Scaler, Windows, feature_table
from panelbench.models.network_settings import NetworkSettings
from panelbench.models.settings import ExperimentSettings, TabularSettings


@dataclass(frozen=True)
class Shape:
    """How an experiment sees the panel: `example` stands for all experiments that see it the same way."""

    key: tuple[Any, ...]
    example: ExperimentSettings
    names: tuple[str, ...]


def shapes(experiments: Mapping[str, ExperimentSettings]) -> list[Shape]:
    """Group the experiments by everything that decides what they read."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for name, settings in experiments.items():
        groups.setdefault(_key(settings), []).append(name)
    return [Shape(key, experiments[names[0]], tuple(names)) for key, names in groups.items()]


def _key(settings: ExperimentSettings) -> tuple[Any, ...]:
    common = (
        settings.lookback,
        settings.horizon,
        settings.covariates,
        settings.validation_steps,
        settings.train_fraction,
        settings.boundary,
    )
    if isinstance(settings, NetworkSettings):
        return (*common, settings.scaling, settings.target)
    return (*common, settings.features) if isinstance(settings, TabularSettings) else common


def seen(settings: ExperimentSettings, windows: Windows) -> list[NDArray[Any]]:
    """Return all that a model of this kind reads of some windows: channels and history, or features."""
    if isinstance(settings, TabularSettings):
        return list(feature_table(windows, settings.features).steps)
    return [windows.inputs(), windows.history(1)]


def learned(settings: ExperimentSettings, train: Windows) -> list[NDArray[Any]]:
    """Return what is learned of the training block before any model is fitted: the scaler's numbers.

    Nothing of an experiment that is declared to leak: it learns from windows that reach further.
    """
    if not isinstance(settings, NetworkSettings) or settings.leaks:
        return []
    scaler = Scaler.fit(train, settings.scaling, settings.target)
    centre, spread = scaler.target(train)
    return [scaler.mean, scaler.sd, scaler.y_mean, scaler.y_sd, centre, spread, *scaler.inputs(train)]


def unscaled(settings: ExperimentSettings, train: Windows, windows: Windows) -> list[NDArray[Any]]:
    """Return what scales a network's input and output, one row a window: centres and spreads."""
    if not isinstance(settings, NetworkSettings):
        return []
    scaler = Scaler.fit(train, settings.scaling, settings.target)
    window = settings.scaling == "window"  # the only scaling whose numbers differ from row to row
    inputs = [
        part[windows.series, windows.position]
        if window
        else np.broadcast_to(part, (len(windows), *part.shape))
        for part in scaler.inputs(windows)
    ]
    return [*inputs, *scaler.target(windows)]
