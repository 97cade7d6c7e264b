"""The Transformer as a forecaster whose attention can be looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from panelbench.data import Windows
from panelbench.models.base import Observer
from panelbench.models.batches import CHUNK
from panelbench.models.network import NetworkForecaster
from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.model import TransformerEncoder

HELD = 2**25
"""Attention weights held at once, at most; 128 MiB each time they are looked at."""


class LooksInside(Protocol):
    """What a network needs for its attention to be looked at."""

    def looks(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        """Return weights (b, layers, heads, Q, K) as used, and with 1 / sqrt(d_k) taken out of scores."""


NetworkT = TypeVar("NetworkT", bound=nn.Module)


class TransformerForecaster(NetworkForecaster[NetworkT]):
    """A `NetworkForecaster` that also shows where it looked, for every network with `looks`.

    Weights say where a layer looked, not why the model decided.
    """

    def attention(self, windows: Windows) -> NDArray[np.float32]:
        """Return (layers, heads, Q, K) weights averaged over the windows; rows sum to one.

        Queries and keys are the tokens: periods, or patches.
        """
        total: NDArray[np.float64] | float = 0.0
        for weights, _ in self._looks(windows):
            total = total + weights.cpu().double().sum(dim=0).numpy()  # not every device has doubles
        return np.asarray(total / len(windows), dtype=np.float32)

    def attention_of_each(self, windows: Windows) -> NDArray[np.float32]:
        """Return (n, layers, heads, Q, K) weights of every window."""
        return np.concatenate([weights.cpu().numpy() for weights, _ in self._looks(windows)])

    def attention_entropy(self, windows: Windows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how spread out attention is, twice (layers, heads), from 0 (one key) to 1 (all alike).

        The mean over windows and queries of a row's entropy in nats, divided by log(K), the most it can
        be; first as the network looks, then with 1 / sqrt(d_k) taken out of the scores. Under a causal mask
        a query sees fewer than K keys, so less than 1 is possible. One key alone has no spread: 0.
        """
        totals: list[NDArray[np.float64] | float] = [0.0, 0.0]
        rows = keys = 1
        for pair in self._looks(windows):
            for place, weights in enumerate(pair):
                rows, keys = weights.shape[-2:]
                entropy = torch.special.entr(weights).sum(dim=-1).cpu().double()  # (b, layers, heads, Q)
                totals[place] = totals[place] + entropy.sum(dim=(0, -1)).numpy()
        most = len(windows) * rows * (math.log(keys) or 1.0)
        used, unscaled = (np.asarray(total / most, dtype=np.float64) for total in totals)
        return used, unscaled

    def _looks(self, windows: Windows) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield what the network's `looks` says, some windows at a time."""
        self.module.eval()
        batches = self._batches(windows)
        looks = cast(LooksInside, self.module).looks
        sample = looks(batches.inputs(slice(0, 1)))[0]
        step = max(1, min(CHUNK, HELD // sample.numel()))
        for first in range(0, len(windows), step):
            yield looks(batches.inputs(slice(first, first + step)))


def transformer(
    settings: TransformerSettings, seed: int, threads: int, observe: Observer | None
) -> TransformerForecaster[TransformerEncoder]:
    """Build a Transformer encoder."""
    return TransformerForecaster(
        lambda channels: TransformerEncoder(settings, channels), settings, seed, threads, observe
    )
