"""Cost of heads: one head against several at equal width."""

from __future__ import annotations

import math
from dataclasses import dataclass

from panelbench.probes.fitting import fit_and_score
from panelbench.probes.made_up import task_of
from panelbench.probes.pool import Tell, spread
from panelbench.probes.results import HeadsRow
from panelbench.probes.settings import HeadsSettings, model_settings
from panelbench.probes.size import equal_updates


@dataclass(frozen=True)
class Job:
    """One Transformer with one seed."""

    settings: HeadsSettings
    heads: int
    seed: int


def run(settings: HeadsSettings, tell: Tell | None = None) -> list[HeadsRow]:
    """Train the Transformer with every number of heads and every seed."""
    jobs = [Job(settings, heads, seed) for seed in settings.seeds for heads in settings.heads]
    rows = spread(one, jobs, settings.workers, tell)
    return sorted(rows, key=lambda row: (settings.heads.index(row.heads), row.seed))


def one(job: Job) -> HeadsRow:
    """Train on the panel's training windows, score on its test block."""
    settings, training = job.settings, job.settings.training
    experiment = model_settings(
        {"model": "transformer", **settings.transformer}, "probes/heads.yaml", "transformer",
        heads=job.heads, lookback=settings.panel.lookback, horizon=1, device="cpu",
        batch_size=training.batch_size, learning_rate=training.learning_rate,
        weight_decay=training.weight_decay,
    )  # fmt: skip
    task = task_of(settings.panel, experiment)
    train, experiment = equal_updates(task.train, experiment, training.updates, job.seed)
    error, seconds, parameters = fit_and_score(experiment, job.seed, train, task.test, task.truth)
    return HeadsRow(
        heads=job.heads, seed=job.seed, error=None if error is None else math.sqrt(error), seconds=seconds,
        parameters=parameters,
    )  # fmt: skip
