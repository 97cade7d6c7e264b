"""Attention of one query without projecting every position to a key and a value.

Only a last layer read at its last position has a single query, and there most of attention's work goes into
keys and values that are used once. The products can be taken in another order, exact up to rounding:

    score of position t = q . (W_k x_t + b_k) = (W_k^T q) . x_t + const       (softmax forgets the constant)
    output of a head    = sum_t a_t (W_v x_t + b_v) = W_v (sum_t a_t x_t) + b_v sum_t a_t

so the two big projections shrink to the width of one position (`python -m benchmarks.parts` times it).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from panelbench.models.transformer.attention import MultiHeadAttention


def applies(attention: MultiHeadAttention, query: Tensor, memory: Tensor) -> bool:
    """Return whether there is one query, and keys are nothing but projected positions."""
    relative = attention.relative
    plain = attention.plain_keys and (relative is None or not relative.turns)
    return query.shape[1] == 1 and memory.shape[1] > 1 and plain


def scores(attention: MultiHeadAttention, query: Tensor, memory: Tensor) -> Tensor:
    """Return (b, heads, 1, K) scores of (b, 1, width) against (b, K, width), up to a constant a head."""
    asked = attention.queries(query)[:, :, 0].transpose(0, 1)  # (heads, b, d_k)
    if attention.scaled:
        asked = asked / math.sqrt(asked.shape[-1])
    wanted = torch.bmm(asked, _by_head(attention, 1)).transpose(0, 1)  # (b, heads, width): W_k^T q
    return torch.bmm(wanted, memory.transpose(1, 2))[:, :, None]


def values(attention: MultiHeadAttention, weights: Tensor, memory: Tensor) -> Tensor:
    """Return the heads' outputs side by side, (b, 1, width), from (b, heads, 1, K) weights."""
    weights = weights[:, :, 0]
    found = torch.bmm(weights, memory).transpose(0, 1)  # (heads, b, width): sum_t a_t x_t
    heads = torch.bmm(found, _by_head(attention, 2).transpose(1, 2)).transpose(0, 1)  # (b, heads, d_k)
    bias = attention.in_proj_bias[2 * memory.shape[-1] :].view(attention.heads, -1)
    return (heads + weights.sum(dim=-1, keepdim=True) * bias).flatten(1)[:, None]


def _by_head(attention: MultiHeadAttention, part: int) -> Tensor:
    """Return the projection of keys (1) or values (2) as (heads, d_k, width)."""
    width = attention.in_proj_weight.shape[1]
    rows = attention.in_proj_weight[part * width : (part + 1) * width]
    return rows.view(attention.heads, -1, width)
