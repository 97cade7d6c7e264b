"""The training loop of every network."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from panelbench.models.acceleration import arithmetic, as_written
from panelbench.models.base import EpochRecord, Observer
from panelbench.models.batches import Batches
from panelbench.models.errors import Diverged
from panelbench.models.network_settings import NetworkSettings

LOSSES = {"mse": functional.mse_loss, "mae": functional.l1_loss}


def train_network(
    module: nn.Module,
    train: Batches,
    valid: Batches | None,
    settings: NetworkSettings,
    seed: int,
    observe: Observer | None,
) -> list[EpochRecord]:
    """Train by Adam on mini-batches for a fixed number of epochs; nothing is chosen on `valid`.

    Unshuffled batches follow the windows' order (all of series 0, then series 1 ...), as in the
    lecture; shuffled ones are drawn anew each epoch. Either way a window keeps its inner order and the
    last, smaller batch is used too.

    A module with a method `supervised(windows, targets)` is shown its targets while it learns: it returns
    forecasts and what they should have been, both (b, N) and scaled, which are then what the loss is of.
    Forecasting, it has the windows alone, like every other.

    Parameters
    ----------
    seed
        Of the batch order, which has its own generator: weights and dropout do not depend on `shuffle`.

    Raises
    ------
    Diverged
        If the loss of an epoch is not finite.
    """
    assert train.targets is not None  # noqa: S101 - training windows carry their targets
    loss_of = LOSSES[settings.loss]
    parameters = list(module.parameters())
    optimiser = torch.optim.Adam(
        parameters, lr=settings.learning_rate, weight_decay=settings.weight_decay, fused=True
    )
    order = torch.arange(len(train))
    shuffler = torch.Generator().manual_seed(seed)
    supervised: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = getattr(module, "supervised", None)
    history = []
    updates = 0

    for epoch in range(1, settings.epochs + 1):
        module.train()
        if settings.shuffle:
            order = torch.randperm(len(train), generator=shuffler)
        total = Totals()
        for rows in torch.split(order.to(train.device), settings.batch_size):
            optimiser.zero_grad()
            inputs, wanted = train.inputs(rows), train.targets[rows]
            with arithmetic(settings, train.device):
                if supervised is None:
                    scaled = module(inputs)
                else:
                    scaled, wanted = supervised(inputs, wanted)
            scaled = scaled.float()
            loss = loss_of(scaled, wanted)
            loss.backward()  # type: ignore[no-untyped-call]
            if settings.clip_norm is not None:
                nn.utils.clip_grad_norm_(parameters, settings.clip_norm)
            if updates < settings.warmup_steps:
                for group in optimiser.param_groups:
                    group["lr"] = settings.learning_rate * (updates + 1) / settings.warmup_steps
            optimiser.step()
            updates += 1
            total.add(loss, scaled, wanted, train.spread[rows])
        seen, watched = total, evaluate(module, valid, settings) if valid else None
        history.append(_record(epoch, updates, seen, watched))
        if observe is not None:
            observe(epoch, settings.epochs)
    return history


class Totals:
    """Sums over the windows of an epoch, kept on the device until the epoch is over."""

    def __init__(self) -> None:
        self.windows = self.numbers = 0
        self.loss: Tensor | float = 0.0
        self.squares: Tensor | float = 0.0

    def add(self, loss: Tensor, scaled: Tensor, target: Tensor, spread: Tensor) -> None:
        """Add a batch's mean loss and its squared errors in the panel's unit."""
        self.windows += len(target)
        self.numbers += target.numel()
        self.loss += loss.detach() * len(target)
        self.squares += ((scaled.detach() - target) * spread).square().sum()

    def means(self) -> tuple[float, float]:
        """Return the mean loss a window and the root mean squared error a number."""
        return float(self.loss) / self.windows, math.sqrt(float(self.squares) / self.numbers)


@torch.inference_mode()
def evaluate(module: nn.Module, block: Batches, settings: NetworkSettings) -> Totals:
    """Return the totals of a block with dropout off, in chunks."""
    assert block.targets is not None  # noqa: S101 - validation windows carry their targets
    module.eval()
    total = Totals()
    for rows in block.chunks():
        scaled, target = _outputs(module, block, rows, settings), block.targets[rows]
        total.add(LOSSES[settings.loss](scaled, target), scaled, target, block.spread[rows])
    return total


@torch.inference_mode()
def forecast(module: nn.Module, block: Batches, settings: NetworkSettings) -> Tensor:
    """Return (n, H) scaled forecasts with dropout off, in chunks."""
    module.eval()
    return torch.cat([_outputs(module, block, rows, settings) for rows in block.chunks()])


def _outputs(module: nn.Module, block: Batches, rows: slice, settings: NetworkSettings) -> Tensor:
    """Return (b, H) scaled forecasts of some windows, by the code as it is written."""
    with as_written(settings), arithmetic(settings, block.device):
        return cast(Tensor, module(block.inputs(rows))).float()


def _record(epoch: int, updates: int, seen: Totals, watched: Totals | None) -> EpochRecord:
    train_loss, train_rmse = seen.means()
    valid_loss, valid_rmse = watched.means() if watched else (None, None)
    for name, loss in (("training", train_loss), ("validation", valid_loss)):
        if loss is not None and not math.isfinite(loss):
            raise Diverged(
                f"the {name} loss is {loss} in epoch {epoch}: training diverged. "
                "A smaller learning_rate or a clip_norm may help."
            )
    return EpochRecord(epoch, updates, train_loss, valid_loss, train_rmse, valid_rmse)
