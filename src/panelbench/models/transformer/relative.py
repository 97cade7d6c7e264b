"""Positions that act inside attention: scores then depend on how far apart two positions are.

Nothing is added to the input and nothing is learned. Q queries and K keys: the queries stand at the last Q of
the K positions, so that a layer may be asked for its last outputs alone.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from panelbench.models.transformer.attention import Relative

BASE = 10_000.0


class Rotary(nn.Module):
    """Turn queries and keys by an angle that grows with their position (Su et al. 2021, section 3.2).

    Features 2i and 2i + 1 of a head are turned at position t by t * 10000^(-2i / d_k). The product of a
    query at s and a key at t then depends on s - t only; values are left alone.

    Parameters
    ----------
    length
        Positions L.
    head_width
        d_k, even.
    """

    turns = True
    cos: Tensor
    sin: Tensor

    def __init__(self, length: int, head_width: int) -> None:
        super().__init__()
        rate = BASE ** (-torch.arange(0, head_width, 2, dtype=torch.float64) / head_width)
        angle = torch.arange(length, dtype=torch.float64)[:, None] * rate  # (L, d_k / 2)
        self.register_buffer("cos", angle.cos().float(), persistent=False)
        self.register_buffer("sin", angle.sin().float(), persistent=False)

    def turn(self, queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        """Return (b, heads, Q, d_k) and (b, heads, K, d_k), turned."""
        return self._turned(queries, keys.shape[-2] - queries.shape[-2]), self._turned(keys, 0)

    def bias(self, queries: int, keys: int) -> Tensor | None:  # noqa: ARG002 - part of `Relative`
        """Return None: nothing is added to the scores."""
        return None

    def _turned(self, x: Tensor, first: int) -> Tensor:
        # Features 2i and 2i + 1 as one complex number, which a rotation multiplies by cos + i sin: the same
        # products and sums as written out, in one pass over the numbers.
        wide = x if x.dtype in (torch.float32, torch.float64) else x.float()
        wide = wide if wide.stride(-1) == 1 else wide.contiguous()
        cos, sin = (table[first : first + x.shape[-2]].to(wide.dtype) for table in (self.cos, self.sin))
        pairs = torch.view_as_complex(wide.view(*wide.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * torch.complex(cos, sin)).flatten(-2).to(x.dtype)


class Alibi(nn.Module):
    """Lower a score by slope * distance, each head with a slope of its own (Press et al. 2022).

    The paper's decoder sees the past only; here the distance counts in both directions. Steep heads look
    close by, flat ones far.
    """

    turns = False
    slopes: Tensor

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.register_buffer("slopes", torch.tensor(alibi_slopes(heads))[:, None, None], persistent=False)

    def turn(self, queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        """Return both as they are."""
        return queries, keys

    def bias(self, queries: int, keys: int) -> Tensor | None:
        """Return (heads, Q, K): zero where a position looks at itself, negative elsewhere."""
        place = torch.arange(keys, device=self.slopes.device)
        distance = (place[keys - queries :, None] - place).abs()
        return -self.slopes * distance


def alibi_slopes(heads: int) -> list[float]:
    """Return a slope a head: 2^(-8 i / h) for i = 1 ... h where h is a power of two.

    For another number, the slopes of the power of two below it and then every second one of the next
    power's, as in the authors' code.
    """
    power = 2 ** int(math.log2(heads))
    slopes = [2 ** (-8 * i / power) for i in range(1, power + 1)]
    between = [2 ** (-8 * i / (2 * power)) for i in range(1, 2 * power + 1, 2)]
    return slopes + between[: heads - power]


def make_relative(kind: str, length: int, width: int, heads: int) -> Relative | None:
    """Return what acts inside attention for a `positions` setting: rotary, alibi; None for the others."""
    if kind == "rotary":
        return Rotary(length, width // heads)
    if kind == "alibi":
        return Alibi(heads)
    return None
