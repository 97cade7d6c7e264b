"""Data size: whether the order of the models turns with the number of windows they learn from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from panelbench.data import Windows
from panelbench.models.network_settings import NetworkSettings
from panelbench.models.settings import ExperimentSettings
from panelbench.probes.fitting import epochs_for, fit_and_score
from panelbench.probes.made_up import task_of
from panelbench.probes.pool import Tell, spread
from panelbench.probes.results import SizeRow
from panelbench.probes.settings import SizeSettings, model_settings


@dataclass(frozen=True)
class Job:
    """One model on one amount of data with one seed."""

    settings: SizeSettings
    model: str
    share: float
    seed: int


def run(settings: SizeSettings, tell: Tell | None = None) -> list[SizeRow]:
    """Fit every model on every amount of data; those that the seed does not change, once."""
    shares = sorted({*settings.fractions, *map(float, settings.times)}, reverse=True)
    jobs = [
        Job(settings, model, share, seed)
        for share in shares
        for model, own in reversed(settings.models.items())
        for seed in (settings.seeds[:1] if model_settings(own).deterministic else settings.seeds)
    ]
    rows = spread(one, jobs, settings.workers, tell)
    order = {name: place for place, name in enumerate(settings.models)}
    return sorted(rows, key=lambda row: (order[row.model], row.share, row.seed))


def one(job: Job) -> SizeRow:
    """Fit one model on its share of the windows, or on a larger panel; score it on the panel's test block.

    Networks take the same number of updates on every amount of data, as near as whole passes come to it.
    Where one pass is longer, they see that many batches of windows drawn without replacement.
    """
    settings, training = job.settings, job.settings.training
    times = max(1, round(job.share))
    experiment = model_settings(
        settings.models[job.model], "probes/size.yaml", f"models.{job.model}",
        lookback=settings.panel.lookback, horizon=1, train_fraction=min(1.0, job.share), device="cpu",
        batch_size=training.batch_size, learning_rate=training.learning_rate,
        weight_decay=training.weight_decay,
    )  # fmt: skip
    task = task_of(settings.panel, experiment, times, max((1, *settings.times)))
    train, experiment = equal_updates(task.train, experiment, training.updates, job.seed)
    error, seconds, parameters = fit_and_score(experiment, job.seed, train, task.test, task.truth)
    return SizeRow(
        model=job.model, share=job.share, windows=len(task.train), seed=job.seed,
        error=None if error is None else math.sqrt(error), seconds=seconds, parameters=parameters,
    )  # fmt: skip


def equal_updates(
    train: Windows, experiment: ExperimentSettings, updates: int, seed: int
) -> tuple[Windows, ExperimentSettings]:
    """Return windows and settings with which a network takes the wanted number of updates.

    Models that take no updates are given all windows, and their settings as they are.
    """
    if not isinstance(experiment, NetworkSettings):
        return train, experiment
    most = updates * experiment.batch_size
    if len(train) > most:
        rows = np.random.default_rng(seed).choice(len(train), most, replace=False)
        train = train.take(np.sort(rows))
    epochs = epochs_for(updates, len(train), experiment.batch_size)
    return train, experiment.model_copy(update={"epochs": epochs})
