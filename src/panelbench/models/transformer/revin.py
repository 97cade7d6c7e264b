"""Reversible instance normalisation (Kim et al. 2022)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

EPSILON = 1e-5
"""Added to a variance: a constant window is centred and not blown up."""


class RevIN(nn.Module):
    """Scale each window by its own lookback, and give its level back to the forecast.

    Mean and variance are those of one window and channel over its L observed periods: no other window,
    nothing after the origin. A learned weight and bias a channel follow, and are undone in reverse. Without
    them it is what `scaling: window` does outside the network.

    Parameters
    ----------
    channels
        C.
    target
        Index of the channel whose future is forecast.
    """

    def __init__(self, channels: int, target: int = 0) -> None:
        super().__init__()
        self.target = target
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, windows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Map (b, L, C) to the same scaled, and the target's mean and sd, each (b, 1), to undo it with.

        Both are constants to the gradient, as in the authors' code.
        """
        with torch.no_grad():
            mean = windows.mean(dim=1, keepdim=True)
            sd = (windows.var(dim=1, keepdim=True, unbiased=False) + EPSILON).sqrt()
        scaled = (windows - mean) / sd * self.weight + self.bias
        return scaled, mean[:, :, self.target], sd[:, :, self.target]

    def restore(self, forecasts: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        """Map (b, H) forecasts on the scale inside the network to the scale of the windows."""
        # The exact inverse; the authors' code adds 1e-10 to the weight.
        inner = (forecasts - self.bias[self.target]) / self.weight[self.target]
        return inner * sd + mean
