"""Telling a Transformer the order of its tokens.

Attention treats its input as a set: what stands where must be written into the vectors themselves. Each
class here adds a table of L vectors to the L embedded tokens.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

LEARNED_SD = 0.02


def sinusoids(length: int, width: int) -> Tensor:
    """Return (length, width) sines and cosines of geometrically spaced periods.

    PE(t, 2i) = sin(t / 10000^(2i / width)), PE(t, 2i + 1) = cos(t / 10000^(2i / width))
    (Vaswani et al. 2017, section 3.5). An odd width ends with a sine that has no cosine.
    """
    t = torch.arange(length, dtype=torch.float32)[:, None]
    rate = torch.exp(torch.arange(0, width, 2, dtype=torch.float32) * (-math.log(10000.0) / width))
    table = torch.empty(length, width)
    table[:, 0::2] = torch.sin(t * rate)
    table[:, 1::2] = torch.cos(t * rate[: width // 2])
    return table


class SinusoidalPositions(nn.Module):
    """Add fixed sinusoids: nothing to learn, nothing counted as a parameter."""

    table: Tensor

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.register_buffer("table", sinusoids(length, width), persistent=False)

    def forward(self, embedded: Tensor) -> Tensor:
        """Map (b, L, width) to (b, L, width)."""
        return embedded + self.table


class LearnedPositions(nn.Module):
    """Add one learned vector a position: L x width further parameters.

    They are drawn from a generator of their own, seeded by one number, so that every other weight and
    the dropout masks are those of the same seed with other positions: the ablation then differs in
    nothing else.
    """

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        own = torch.Generator().manual_seed(torch.initial_seed())
        self.table = nn.Parameter(torch.empty(length, width).normal_(0.0, LEARNED_SD, generator=own))

    def forward(self, embedded: Tensor) -> Tensor:
        """Map (b, L, width) to (b, L, width)."""
        return embedded + self.table


def make_positions(kind: str, length: int, width: int) -> nn.Module:
    """Return what is added to the input for a `positions` setting: sinusoidal, learned; else nothing.

    Rotary positions and ALiBi work inside attention (`relative.py`).
    """
    if kind == "sinusoidal":
        return SinusoidalPositions(length, width)
    if kind == "learned":
        return LearnedPositions(length, width)
    return nn.Identity()
