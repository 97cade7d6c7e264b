"""Reach: how many steps back a network can take a value from."""

from __future__ import annotations

from dataclasses import dataclass

from panelbench.data import Windows
from panelbench.probes.copying import copying
from panelbench.probes.fitting import LEARNING, SCORING, fit_and_score
from panelbench.probes.pool import Tell, spread
from panelbench.probes.results import ReachRow
from panelbench.probes.settings import ReachSettings, model_settings


@dataclass(frozen=True)
class Job:
    """One network, one k, one seed."""

    settings: ReachSettings
    model: str
    steps_back: int
    seed: int
    silent: bool


def run(settings: ReachSettings, tell: Tell | None = None) -> list[ReachRow]:
    """Train every network at every k with every seed."""
    jobs = [
        Job(settings, model, steps_back, seed, silent)
        for steps_back in sorted(settings.steps_back, reverse=True)
        for silent, models in ((False, tuple(settings.models)), (True, settings.silent))
        for model in models
        for seed in settings.seeds
    ]
    rows = spread(one, jobs, settings.workers, tell)
    order = {name: place for place, name in enumerate(settings.models)}
    return sorted(rows, key=lambda row: (row.silent, order[row.model], row.steps_back, row.seed))


def one(job: Job) -> ReachRow:
    """Train one network on windows that it sees once each, and score it on others."""
    settings, training = job.settings, job.settings.training
    own = settings.models[job.model]
    lookback = job.steps_back + settings.margin
    sees = min(int(own.get("lookback", lookback)), lookback)
    experiment = model_settings(
        own, "probes/reach.yaml", f"models.{job.model}",
        lookback=sees, horizon=1, epochs=1, batch_size=training.batch_size, device="cpu", scaling="none",
        learning_rate=training.learning_rate, weight_decay=training.weight_decay,
    )  # fmt: skip

    def windows(count: int, stream: int) -> Windows:
        return copying(count, job.steps_back, lookback, 10 * job.seed + stream, silent=job.silent, sees=sees)

    train = windows(training.updates * training.batch_size, LEARNING)
    test = windows(settings.test_windows, SCORING)
    assert test.y is not None  # noqa: S101 - for the type checker
    error, seconds, parameters = fit_and_score(experiment, job.seed, train, test, test.y)
    return ReachRow(
        model=job.model, steps_back=job.steps_back, silent=job.silent, seed=job.seed,
        error=error, seconds=seconds, parameters=parameters,
    )  # fmt: skip
