"""Multi-head self-attention: a learned soft lookup of periods in one another."""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from panelbench.models.transformer.dropout import Dropout


class SelfAttention(nn.Module):
    """softmax(Q K^T / sqrt(width / heads)) V in several heads (Vaswani et al. 2017, section 3.2).

    Weights have the names, shapes and initial values of `torch.nn.MultiheadAttention`, so either can
    load the other's. Written out because then the weights can be looked at, only the positions that are
    read need a query, and it is faster on a CPU than the library's path with dropout.

    Parameters
    ----------
    width
        Features of a position.
    heads
        Each looks up by its own width / heads features; together they cost what one full head does.
    dropout
        Share of attention weights set to zero while training.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))  # queries, keys, values
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * width))
        self.out_proj = nn.Linear(width, width)
        self.dropout = Dropout(dropout)
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.zeros_(self.out_proj.bias)

    def forward(self, x: Tensor, first_query: int = 0) -> Tensor:
        """Let positions look at all positions.

        Parameters
        ----------
        x
            (b, L, width).
        first_query
            Only positions from here on look; L - 1 is the last one alone.

        Returns
        -------
        Tensor
            (b, L - first_query, width).
        """
        weights, values = self.weights_and_values(x, first_query)
        mixed = torch.matmul(self.dropout(weights), values)  # (b, heads, Q, width / heads)
        return cast(Tensor, self.out_proj(mixed.transpose(1, 2).flatten(2)))

    def weights_and_values(self, x: Tensor, first_query: int = 0) -> tuple[Tensor, Tensor]:
        """Return attention weights (b, heads, Q, L), rows summing to one, and values (b, heads, L, .)."""
        width = x.shape[-1]
        weight, bias = self.in_proj_weight, self.in_proj_bias
        queries = functional.linear(x[:, first_query:], weight[:width], bias[:width])
        keys, values = functional.linear(x, weight[width:], bias[width:]).chunk(2, dim=-1)
        queries, keys, values = (self._split(each) for each in (queries, keys, values))
        # Without the root the scores grow with the head's width and the softmax saturates.
        scores = torch.matmul(queries / math.sqrt(width / self.heads), keys.transpose(2, 3))
        return scores.softmax(dim=-1), values

    def _split(self, x: Tensor) -> Tensor:
        """Map (b, L, width) to (b, heads, L, width / heads)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)
