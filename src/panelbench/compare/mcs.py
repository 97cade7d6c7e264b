"""Model confidence set: the models that the test block cannot exclude from being the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from panelbench.compare.blocks import too_short
from panelbench.compare.critical import null_ranges, standardised
from panelbench.compare.schema import ConfidenceSet

Float = NDArray[np.float64]


def confidence_set(
    names: Sequence[str], losses: Float, size: float, block_length: int, horizon: int = 1
) -> ConfidenceSet:
    """Find the set that holds the best model with probability `1 - size` (data uncertainty only).

    Parameters
    ----------
    names, losses
        k models and their (W, k) mean squared errors by target period.
    size
        Level of the test; a model whose p is above it stays.
    block_length
        Of the blocks of target periods that the standard errors come from.
    horizon
        Steps ahead, over which losses of neighbouring periods depend on each other.

    Returns
    -------
    Members in the order of `names`, and each model's p; everything stays, with a reason, where the test
    block is too short. Models with identical losses are tested once and share their p; one that is worse
    than another by the same amount in every period has p = 0.

    Notes
    -----
    Hansen, Lunde and Nason (2011), range statistic: while the largest standardised difference among the
    models left is too large for equal ones, the model that it shows to be worst goes. Their bootstrap
    takes the standard errors for known and, where nothing differs, throws a model out of 2 in 5 sets on 12
    weeks and 1 in 5 on 26, at a nominal 1 in 20. Here "too large" is judged as for pairs (`critical`).
    """
    everything = tuple(names)
    if len(names) < 2:
        return ConfidenceSet(
            size=size,
            included=everything,
            p=dict.fromkeys(names, 1.0),
            reason="fewer than two models finished",
        )
    reason = too_short(losses.shape[0], block_length)
    if reason:
        return ConfidenceSet(size=size, included=everything, p={}, reason=reason)
    kept, stands_for, dominated = _distinct(losses)
    p = np.ones(len(names))
    if len(kept) > 1:
        p[kept] = _p_values(losses[:, kept], block_length, horizon)
    p = np.where(dominated, 0.0, p[stands_for])
    by_name = dict(zip(names, p.tolist(), strict=True))
    return ConfidenceSet(size=size, included=tuple(name for name in names if by_name[name] > size), p=by_name)


def _p_values(losses: Float, block_length: int, horizon: int) -> Float:
    """Take the worst out one after the other; a model's p is the largest up to where it goes."""
    n_periods, k = losses.shape
    scaled = losses / float(losses.mean())  # the method is scale-free, the arithmetic is not
    one, other = np.triu_indices(k, 1)
    ratio = np.zeros((k, k))
    ratio[one, other] = standardised(scaled.T[None], block_length, one, other)[0]
    mean = scaled.mean(axis=0)
    worse = (ratio + ratio.T) * np.sign(mean[:, None] - mean)  # (k, k) by how much the row is the worse one
    null = null_ranges(k, n_periods, block_length, horizon)
    p, so_far, left = np.ones(k), 0.0, list(range(k))
    while len(left) > 1:
        among = worse[np.ix_(left, left)]
        beyond = null[len(left) - 2]
        reached = float(1 - np.searchsorted(beyond, among.max()) / beyond.size)
        so_far = max(so_far, reached)
        p[left.pop(int(among.max(axis=1).argmax()))] = so_far
    return p


def _distinct(losses: Float) -> tuple[list[int], NDArray[np.int64], NDArray[np.bool_]]:
    """Take out columns whose difference to another never varies: the method divides by that variance.

    Returns
    -------
    kept
        Columns to test, ascending.
    stands_for
        (k,) the kept column that each column has the same shape as; itself where kept.
    dominated
        (k,) whether the column is worse than that one by the same amount in every period.
    """
    tolerance = 1e-12 * float(np.abs(losses).max())
    kept: list[int] = []
    stands_for = np.arange(losses.shape[1])
    dominated = np.zeros(losses.shape[1], dtype=np.bool_)
    for k in np.argsort(losses.mean(axis=0), kind="stable").tolist():
        for j in kept:
            difference = losses[:, k] - losses[:, j]
            if float(np.ptp(difference)) <= tolerance:
                stands_for[k], dominated[k] = j, bool(np.abs(difference).max() > tolerance)
                break
        else:
            kept.append(k)
    return sorted(kept), stands_for, dominated
