"""The Transformer as a forecaster whose attention can be looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from panelbench.data import Windows
from panelbench.models.base import Observer
from panelbench.models.network import NetworkForecaster
from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.model import TransformerEncoder


class TransformerForecaster(NetworkForecaster[TransformerEncoder]):
    """A `NetworkForecaster` that also shows where it looked.

    Weights say where a layer looked, not why the model decided.
    """

    def attention(self, windows: Windows) -> NDArray[np.float32]:
        """Return (layers, heads, L, L) weights averaged over the windows; rows sum to one."""
        total: NDArray[np.float64] | float = 0.0
        self.module.eval()
        batches = self._batches(windows)
        for rows in batches.chunks():
            weights = self.module.attention(batches.inputs(rows))
            total = total + weights.cpu().double().sum(dim=0).numpy()  # not every device has doubles
        return np.asarray(total / len(windows), dtype=np.float32)

    def attention_of_each(self, windows: Windows) -> NDArray[np.float32]:
        """Return (n, layers, heads, L, L) weights of every window."""
        self.module.eval()
        batches = self._batches(windows)
        found = [self.module.attention(batches.inputs(rows)).cpu().numpy() for rows in batches.chunks()]
        return np.concatenate(found)


def transformer(
    settings: TransformerSettings, seed: int, threads: int, observe: Observer | None
) -> TransformerForecaster:
    """Build a Transformer encoder."""
    return TransformerForecaster(
        lambda channels: TransformerEncoder(settings, channels), settings, seed, threads, observe
    )
