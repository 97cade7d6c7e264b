"""Attention: a learned soft lookup of positions in one another.

Shapes use b windows, L positions, Q queries, K keys; a head has d_k = width / heads features.
"""

from __future__ import annotations

import math
from typing import Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from panelbench.models.transformer import single
from panelbench.models.transformer.dropout import Dropout
from panelbench.models.transformer.masks import require_open_rows


class Relative(Protocol):
    """Positions that act inside attention: on queries and keys, or on their scores (`relative.py`)."""

    @property
    def turns(self) -> bool:
        """Whether `turn` changes anything."""


    def turn(self, queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        """Return both, (b, heads, Q, d_k) and (b, heads, K, d_k), told where they stand."""

    def bias(self, queries: int, keys: int) -> Tensor | None:
        """Return what is added to the scores, broadcasting to (b, heads, Q, K), or None."""


def attention_weights(
    query: Tensor,
    key: Tensor,
    blocked: Tensor | None = None,
    bias: Tensor | None = None,
    scaled: bool = True,
) -> Tensor:
    """Return softmax(query key^T / sqrt(d_k) + bias), (..., Q, K): each query's shares of the keys.

    Parameters
    ----------
    query, key
        (..., Q, d_k) and (..., K, d_k).
    blocked
        Boolean, broadcasting to (..., Q, K); True = may not attend, its weight is exactly zero.
    bias
        Added to the scores, broadcasting to (..., Q, K).
    scaled
        Whether to divide by sqrt(d_k). Without it scores grow with d_k and the softmax saturates.

    Raises
    ------
    ValueError
        If `blocked` is not boolean or leaves a query nothing to attend to.
    """
    if scaled:
        query = query / math.sqrt(query.shape[-1])
    return shares(torch.matmul(query, key.transpose(-2, -1)), blocked, bias)


def shares(scores: Tensor, blocked: Tensor | None = None, bias: Tensor | None = None) -> Tensor:
    """Return the softmax of (..., Q, K) scores; arguments and errors as in `attention_weights`."""
    if bias is not None:
        scores = scores + bias
    if blocked is not None:
        require_open_rows(blocked)
        scores = scores.masked_fill(blocked, -math.inf)
    return scores.softmax(dim=-1)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    blocked: Tensor | None = None,
    bias: Tensor | None = None,
    scaled: bool = True,
) -> Tensor:
    """Return softmax(query key^T / sqrt(d_k)) value, (..., Q, d_v) (Vaswani et al. 2017, equation 1).

    Parameters
    ----------
    query, key, value
        (..., Q, d_k), (..., K, d_k) and (..., K, d_v).
    blocked, bias, scaled
        As in `attention_weights`, which also says what is refused.
    """
    return torch.matmul(attention_weights(query, key, blocked, bias, scaled), value)


class MultiHeadAttention(nn.Module):
    """Attention in several heads, each on its own projections (Vaswani et al. 2017, section 3.2.2).

    Called with one argument it is self-attention, with two cross-attention. Weights have the names,
    shapes and initial values of `torch.nn.MultiheadAttention`, so either can load the other's. Written out
    because then the weights can be looked at, only the positions that are read need a query, and it is
    faster on a CPU than the library's path with dropout.

    Parameters
    ----------
    width
        Features of a position.
    heads
        Each looks up by its own width / heads features; together they cost what one full head does.
    dropout
        Share of attention weights set to zero while training.
    scaled
        Whether scores are divided by sqrt(d_k).
    relative
        Positions that act on queries, keys or scores; None for none.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        dropout: float = 0.0,
        scaled: bool = True,
        relative: Relative | None = None,
    ) -> None:
        super().__init__()
        self.heads = heads
        self.scaled = scaled
        self.relative = relative
        self.plain_keys = True  # nothing but projected positions; a subclass may say otherwise
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))  # queries, keys, values
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * width))
        self.out_proj = nn.Linear(width, width)
        self.dropout = Dropout(dropout)
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.zeros_(self.out_proj.bias)

    def forward(self, query: Tensor, memory: Tensor | None = None, blocked: Tensor | None = None) -> Tensor:
        """Let each query look at all positions of `memory` that it may.

        Parameters
        ----------
        query
            (b, Q, width): who looks.
        memory
            (b, K, width): where keys and values come from; None for the queries themselves.
        blocked
            Boolean, broadcasting to (b, heads, Q, K); True = may not attend.

        Returns
        -------
        Tensor
            (b, Q, width).

        Raises
        ------
        ValueError
            If `blocked` leaves a query nothing to attend to.
        """
        memory = query if memory is None else memory
        if single.applies(self, query, memory):
            bias = None if self.relative is None else self.relative.bias(1, memory.shape[1])
            weights = shares(single.scores(self, query, memory), blocked, bias)
            return cast(Tensor, self.out_proj(single.values(self, self.dropout(weights), memory)))
        return self.attend(*self.project(query, memory), blocked)

    def project(self, query: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries (b, heads, Q, d_k), keys and values (b, heads, K, d_k)."""
        return self.queries(query), *self.keys_and_values(memory)

    def queries(self, query: Tensor) -> Tensor:
        """Map (b, Q, width) to (b, heads, Q, d_k)."""
        width = query.shape[-1]
        return self.split(functional.linear(query, self.in_proj_weight[:width], self.in_proj_bias[:width]))

    def keys_and_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Map (b, K, width) to keys and values, each (b, heads, K, d_k)."""
        width = memory.shape[-1]
        both = functional.linear(memory, self.in_proj_weight[width:], self.in_proj_bias[width:])
        keys, values = both.chunk(2, dim=-1)
        return self.split(keys), self.split(values)

    def attend(self, queries: Tensor, keys: Tensor, values: Tensor, blocked: Tensor | None = None) -> Tensor:
        """Map projected queries, keys and values to the layer's output (b, Q, width)."""
        weights = self.weights(queries, keys, blocked)
        mixed = torch.matmul(self.dropout(weights), values)  # (b, heads, Q, d_k)
        return cast(Tensor, self.out_proj(mixed.transpose(1, 2).flatten(2)))

    def weights(
        self, queries: Tensor, keys: Tensor, blocked: Tensor | None = None, scaled: bool | None = None
    ) -> Tensor:
        """Return (b, heads, Q, K) weights of projected queries and keys; rows sum to one.

        `scaled` left out takes the layer's own; False shows what the layer would look at without the
        root, weights unchanged.
        """
        bias = None
        if self.relative is not None:
            queries, keys = self.relative.turn(queries, keys)
            bias = self.relative.bias(queries.shape[-2], keys.shape[-2])
        return attention_weights(queries, keys, blocked, bias, self.scaled if scaled is None else scaled)

    def split(self, x: Tensor) -> Tensor:
        """Map (b, L, width) to (b, heads, L, d_k)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)
