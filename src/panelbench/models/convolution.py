"""One-dimensional convolutions over time."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

from torch import Tensor, nn

from panelbench.models.base import Observer
from panelbench.models.network import NetworkForecaster
from panelbench.models.network_settings import CnnSettings


class Cnn(nn.Module):
    """Convolutions without padding, a ReLU after each, and a linear head.

    Without padding every output position sees whole stretches of the window: 5 then 3 periods give a
    receptive field of 7. The head reads all positions in their order (`flatten`), or their mean or
    maximum, which forgets when something happened.
    """

    def __init__(self, settings: CnnSettings, channels: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        widths = (channels, *settings.filters)
        for (before, after), kernel in zip(pairwise(widths), settings.kernels, strict=True):
            layers += [nn.Conv1d(before, after, kernel), nn.ReLU()]
        self.body = nn.Sequential(*layers)
        self.pooling = settings.head
        positions = settings.lookback - sum(settings.kernels) + len(settings.kernels)
        self.head = nn.Linear(widths[-1] * (positions if self.pooling == "flatten" else 1), settings.horizon)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) to (b, H)."""
        features = self.body(windows.transpose(1, 2))  # (b, filters, positions)
        if self.pooling == "flatten":
            features = features.flatten(1)
        elif self.pooling == "avgpool":
            features = features.mean(dim=2)
        else:
            features = features.amax(dim=2)
        return cast(Tensor, self.head(features))


def cnn(settings: CnnSettings, seed: int, threads: int, observe: Observer | None) -> NetworkForecaster[Cnn]:
    """Build a 1-D convolutional network."""
    return NetworkForecaster(lambda channels: Cnn(settings, channels), settings, seed, threads, observe)
