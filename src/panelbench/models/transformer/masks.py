"""Masks: which positions a query may not look at. One convention for all of panelbench.

**True means "may not attend"**, as in `torch.nn.Transformer` and `torch.nn.MultiheadAttention`. (The
function `torch.nn.functional.scaled_dot_product_attention` has it the other way round; it is not used with
a mask here.) A blocked position gets the score minus infinity before the softmax, hence weight exactly zero.

A mask is a boolean tensor that broadcasts to (b, heads, queries, keys).
"""

from __future__ import annotations

import torch
from torch import Tensor


def causal_mask(length: int, device: torch.device | str | None = None) -> Tensor:
    """Return (L, L): position t may not attend to t + 1, t + 2, ..."""
    return torch.ones(length, length, dtype=torch.bool, device=device).triu(1)


def padding_mask(padded: Tensor) -> Tensor:
    """Return (b, 1, 1, L): nobody may attend to a position that only fills a window up.

    Parameters
    ----------
    padded
        (b, L) boolean, True where there is no value.

    Raises
    ------
    ValueError
        If `padded` has another shape or is not boolean.
    """
    if padded.dim() != 2 or padded.dtype != torch.bool:
        raise ValueError(
            f"padded must be boolean of shape (batch, lookback), True where there is no value; "
            f"it is {padded.dtype} of shape {tuple(padded.shape)}"
        )
    return padded[:, None, None, :]


def combine(*masks: Tensor | None) -> Tensor | None:
    """Return the mask that blocks what any of `masks` blocks; None where there is none."""
    given = [mask for mask in masks if mask is not None]
    if not given:
        return None
    blocked = given[0]
    for mask in given[1:]:
        blocked = blocked | mask
    return blocked


def rows_from(blocked: Tensor | None, first: int) -> Tensor | None:
    """Return the part of a mask over L queries that is for the queries from `first` on."""
    if blocked is None or not first or blocked.shape[-2] == 1:  # one row is for every query
        return blocked
    return blocked[..., first:, :]


def require_open_rows(blocked: Tensor) -> None:
    """Refuse a mask that is not boolean, or that leaves a query nothing to look at.

    The softmax of such a row is 0 / 0: one NaN that spreads to every weight at the next update.

    Raises
    ------
    ValueError
        Naming the first such row.
    """
    if blocked.dtype != torch.bool:
        raise ValueError(f"a mask is boolean, True where attention is not allowed; this is {blocked.dtype}")
    if torch.compiler.is_compiling():  # a compiled graph cannot ask for values
        return
    closed = blocked.all(dim=-1)
    if closed.any():
        *window, row = closed.nonzero()[0].tolist()
        where = f"query {row}" + (f" of window {window[0]}" if window else "")
        raise ValueError(
            f"the mask of shape {tuple(blocked.shape)} leaves {where} no position to attend to, so its "
            "attention would be 0 / 0. Every query needs one open position: a window may not be padded "
            "throughout, and under a causal mask padding stands after the values, not before them."
        )
