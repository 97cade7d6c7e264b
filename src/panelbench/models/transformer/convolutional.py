"""Attention whose queries and keys see a shape in time, not a single position (ConvTrans)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from panelbench.models.design_settings import ConvTransformerSettings
from panelbench.models.network_settings import AttentionSettings
from panelbench.models.transformer.attention import MultiHeadAttention, Relative


class ConvolutionalAttention(MultiHeadAttention):
    """Self-attention with causal convolutions for queries and keys (Li et al. 2019, section 4.1).

    A position asks, and answers, with what happened at it and at the kernel - 1 positions before it, so that
    a rise looks for rises rather than for equal values. Before the window's start stand zeros. Values are
    those of single positions.

    The weights of plain attention are the kernel's last column, `earlier` (2 width, width, kernel - 1) holds
    the others: with kernel 1 this is plain attention, drawn from the same seed.

    Parameters
    ----------
    kernel
        Positions that a query or key spans.
    width, heads, dropout, scaled, relative
        As in `MultiHeadAttention`.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        kernel: int,
        dropout: float = 0.0,
        scaled: bool = True,
        relative: Relative | None = None,
    ) -> None:
        super().__init__(width, heads, dropout, scaled, relative)
        self.before = kernel - 1
        self.plain_keys = self.before == 0
        self.earlier = nn.Parameter(torch.empty(2 * width, width, self.before)) if self.before else None
        if self.earlier is not None:
            # Columns are drawn like plain attention's, then shrunk so that their sum has its variance.
            bound = math.sqrt(6 / (4 * width))
            with torch.no_grad():
                self.earlier.uniform_(-bound, bound).div_(math.sqrt(kernel))
                self.in_proj_weight[: 2 * width].div_(math.sqrt(kernel))

    def project(self, query: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries (b, heads, Q, d_k), keys and values (b, heads, K, d_k).

        `query` is the last Q positions of `memory`: a convolution reads what stands before them.
        """
        if self.earlier is None:
            return super().project(query, memory)
        width, asked = memory.shape[-1], query.shape[1]
        weight = torch.cat([self.earlier, self.in_proj_weight[: 2 * width, :, None]], dim=2)
        bias = self.in_proj_bias
        padded = functional.pad(memory.transpose(1, 2), (self.before, 0))  # (b, width, K + kernel - 1)
        recent = padded[..., memory.shape[1] - asked :]
        queries = functional.conv1d(recent, weight[:width], bias[:width]).transpose(1, 2)
        keys = functional.conv1d(padded, weight[width:], bias[width : 2 * width]).transpose(1, 2)
        values = functional.linear(memory, self.in_proj_weight[2 * width :], bias[2 * width :])
        return self.split(queries), self.split(keys), self.split(values)


def make_attention(settings: AttentionSettings, relative: Relative | None) -> MultiHeadAttention:
    """Return the self-attention that an experiment's settings ask for."""
    width, heads, dropout, scaled = settings.width, settings.heads, settings.dropout, settings.scaled
    if isinstance(settings, ConvTransformerSettings):
        return ConvolutionalAttention(width, heads, settings.kernel, dropout, scaled, relative)
    return MultiHeadAttention(width, heads, dropout, scaled, relative)
