"""Dropout with masks that are cheap to draw on a CPU."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

LEVELS = 2**16
"""A mask is drawn as 16-bit numbers, so the share dropped is a multiple of 1 / 65,536."""


class Dropout(nn.Module):
    """Set each number to zero with a given probability while training, and scale the others up.

    The same distribution as `torch.nn.Dropout`. On a CPU, drawing the masks there is a large part of a small
    Transformer's training (`python -m benchmarks.parts`); here one 64-bit draw decides for four numbers.
    """

    def __init__(self, probability: float) -> None:
        super().__init__()
        self.probability = probability
        self._dropped = min(round(probability * LEVELS), LEVELS - 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return `x` with dropout in training mode, else `x` itself."""
        if not self.training or not self._dropped:
            return x
        if x.device.type != "cpu":
            return functional.dropout(x, self.probability)
        return x * self._mask(x)

    def _mask(self, x: Tensor) -> Tensor:
        """Return a tensor like `x` that holds zero or 1 / (share kept)."""
        words = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
        numbers = words.view(torch.int16)[: x.numel()].view(x.shape)  # uniform on -32,768 ... 32,767
        kept = torch.empty_like(x)
        torch.ge(numbers, self._dropped - LEVELS // 2, out=kept)  # by way of bool: 8 times as long
        return kept.mul_(LEVELS / (LEVELS - self._dropped))
