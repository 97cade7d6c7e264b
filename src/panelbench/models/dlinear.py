"""Linear networks: one layer on the window, and one each on its trend and on the rest."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from panelbench.models.base import Observer
from panelbench.models.design_settings import DLinearSettings, LinearSettings
from panelbench.models.network import NetworkForecaster


class WindowLinear(nn.Module):
    """Every forecast is a weighted sum of the L x C numbers of the window and a constant.

    With one channel: L x H + H weights.
    """

    def __init__(self, lookback: int, channels: int, horizon: int) -> None:
        super().__init__()
        self.head = nn.Linear(lookback * channels, horizon)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) to (b, H)."""
        return cast(Tensor, self.head(windows.flatten(1)))


class DLinear(nn.Module):
    """A linear layer on the trend plus one on what the trend leaves (Zeng et al. 2023, section 4).

    The trend is a centred moving average; at the window's ends the first and the last value are repeated,
    so nothing outside the window is read. The paper maps each series' own history; here the layers read
    every channel they are given, with weights of its own for each. With one channel: 2 (L x H + H) weights.
    """

    def __init__(self, lookback: int, channels: int, horizon: int, kernel: int) -> None:
        super().__init__()
        self.kernel = kernel
        self.trend = nn.Linear(lookback * channels, horizon)
        self.remainder = nn.Linear(lookback * channels, horizon)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) to (b, H)."""
        trend = moving_average(windows, self.kernel)
        rest = windows - trend
        return cast(Tensor, self.trend(trend.flatten(1)) + self.remainder(rest.flatten(1)))


def moving_average(windows: Tensor, kernel: int) -> Tensor:
    """Return (b, L, C) means of `kernel` periods around each, the end values repeated beyond the ends."""
    side = (kernel - 1) // 2
    first, last = windows[:, :1].expand(-1, side, -1), windows[:, -1:].expand(-1, side, -1)
    padded = torch.cat([first, windows, last], dim=1)  # (b, L + kernel - 1, C)
    return functional.avg_pool1d(padded.transpose(1, 2), kernel, stride=1).transpose(1, 2)


def linear(
    settings: LinearSettings, seed: int, threads: int, observe: Observer | None
) -> NetworkForecaster[WindowLinear]:
    """Build one linear layer."""

    def make(channels: int) -> WindowLinear:
        return WindowLinear(settings.lookback, channels, settings.horizon)

    return NetworkForecaster(make, settings, seed, threads, observe)


def dlinear(
    settings: DLinearSettings, seed: int, threads: int, observe: Observer | None
) -> NetworkForecaster[DLinear]:
    """Build a linear network with decomposition."""

    def make(channels: int) -> DLinear:
        return DLinear(settings.lookback, channels, settings.horizon, settings.kernel)

    return NetworkForecaster(make, settings, seed, threads, observe)
