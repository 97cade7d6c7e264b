"""A feed-forward network on the flattened window."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

from torch import Tensor, nn

from panelbench.models.base import Observer
from panelbench.models.network import NetworkForecaster
from panelbench.models.network_settings import FfnSettings


class FeedForward(nn.Module):
    """Hidden layers with ReLU and dropout, then a linear head; no notion of order in time."""

    def __init__(self, settings: FfnSettings, channels: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Flatten()]
        for before, after in pairwise((settings.lookback * channels, *settings.widths)):
            layers += [nn.Linear(before, after), nn.ReLU(), nn.Dropout(settings.dropout)]
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(settings.widths[-1], settings.horizon)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) to (b, H)."""
        return cast(Tensor, self.head(self.layers(windows)))


def ffn(
    settings: FfnSettings, seed: int, threads: int, observe: Observer | None
) -> NetworkForecaster[FeedForward]:
    """Build a feed-forward network."""
    return NetworkForecaster(
        lambda channels: FeedForward(settings, channels), settings, seed, threads, observe
    )
