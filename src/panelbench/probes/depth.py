"""Depth: which deep stacks of encoder layers train, and how large their gradients are before they do."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn import functional

from panelbench.data import Scaler, Windows
from panelbench.models.batches import Batches
from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.model import TransformerEncoder
from panelbench.probes.copying import copying
from panelbench.probes.fitting import LEARNING, SCORING, fit_and_score
from panelbench.probes.pool import Tell, spread
from panelbench.probes.results import DepthRow
from panelbench.probes.settings import DepthSettings, model_settings


@dataclass(frozen=True)
class Job:
    """One stack with one seed."""

    settings: DepthSettings
    norm: str
    layers: int
    warmup_steps: int
    seed: int


def run(settings: DepthSettings, tell: Tell | None = None) -> list[DepthRow]:
    """Train every stack with every seed."""
    jobs = [
        Job(settings, norm, layers, warmup_steps, seed)
        for layers in sorted(settings.layers, reverse=True)
        for norm in settings.norms
        for warmup_steps in settings.warmup_steps
        for seed in settings.seeds
    ]
    rows = spread(one, jobs, settings.workers, tell)
    return sorted(rows, key=lambda row: (row.norm, row.layers, row.warmup_steps, row.seed))


def one(job: Job) -> DepthRow:
    """Measure a stack's gradients as it is drawn, then train it."""
    settings, training = job.settings, job.settings.training
    lookback = settings.steps_back + settings.margin
    experiment = model_settings(
        {"model": "transformer", **settings.transformer}, "probes/depth.yaml", "transformer",
        layers=job.layers, norm=job.norm, warmup_steps=job.warmup_steps,
        lookback=lookback, horizon=1, epochs=1, batch_size=training.batch_size, device="cpu", scaling="none",
        learning_rate=training.learning_rate, weight_decay=training.weight_decay,
    )  # fmt: skip
    assert isinstance(experiment, TransformerSettings)  # noqa: S101 - for the type checker

    def windows(count: int, stream: int) -> Windows:
        return copying(count, settings.steps_back, lookback, 10 * job.seed + stream)

    train = windows(training.updates * training.batch_size, LEARNING)
    test = windows(settings.test_windows, SCORING)
    assert test.y is not None  # noqa: S101 - for the type checker
    norms = gradient_norms(experiment, job.seed, train.take(slice(0, training.batch_size)))
    error, seconds, parameters = fit_and_score(experiment, job.seed, train, test, test.y)
    return DepthRow(
        norm=job.norm, layers=job.layers, warmup_steps=job.warmup_steps, seed=job.seed, gradients=norms,
        error=error, seconds=seconds, parameters=parameters,
    )  # fmt: skip


def gradient_norms(settings: TransformerSettings, seed: int, batch: Windows) -> tuple[float, ...]:
    """Return the Euclidean norm of the loss's gradient in each layer's weights, before any update.

    The weights are those that training with this seed begins with: the seed is set right before the
    network is built, as `NetworkForecaster.fit` does.
    """
    torch.manual_seed(seed)
    module = TransformerEncoder(settings, 1)
    batches = Batches(batch, Scaler.fit(batch, settings.scaling, settings.target), [0], torch.device("cpu"))
    assert batches.targets is not None  # noqa: S101 - for the type checker
    functional.mse_loss(module(batches.inputs(slice(None))), batches.targets).backward()  # type: ignore[no-untyped-call]
    return tuple(
        float(torch.cat([one.grad.flatten() for one in layer.parameters() if one.grad is not None]).norm())
        for layer in module.encoder.layers
    )
