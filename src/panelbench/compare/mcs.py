"""Model confidence set: the models that the test block cannot exclude from being the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from panelbench.compare.blocks import too_short
from panelbench.compare.schema import ConfidenceSet

Float = NDArray[np.float64]


def confidence_set(
    names: Sequence[str], losses: Float, size: float, block_length: int, resamples: int, seed: int
) -> ConfidenceSet:
    """Find the set that holds the best model with probability `1 - size` (data uncertainty only).

    Parameters
    ----------
    names, losses
        k models and their (W, k) mean squared errors by target period.
    size
        Level of the test; a model whose p is above it stays.
    block_length, resamples, seed
        Of the moving-block bootstrap over target periods.

    Returns
    -------
    Members in the order of `names`, and each model's p; everything stays, with a reason, where the test
    block is too short. Models with identical losses are tested once and share their p; one that is worse
    than another by the same amount in every period has p = 0.

    Notes
    -----
    Hansen, Lunde and Nason (2011), range statistic; computed by `arch`. Its first step compares all pairs
    in every resample, which takes resamples x k^2 numbers of memory.
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
        p[kept] = _p_values(losses[:, kept], size, block_length, resamples, seed)
    p = np.where(dominated, 0.0, p[stands_for])
    by_name = dict(zip(names, p.tolist(), strict=True))
    return ConfidenceSet(size=size, included=tuple(name for name in names if by_name[name] > size), p=by_name)


def _p_values(losses: Float, size: float, block_length: int, resamples: int, seed: int) -> Float:
    from arch.bootstrap import MCS

    # losses in units of their overall mean: the method is scale-free, the arithmetic is not
    scaled = losses / float(losses.mean())
    mcs = MCS(scaled, size=size, reps=resamples, block_size=block_length, bootstrap="moving block", seed=seed)
    mcs.compute()
    return np.asarray(mcs.pvalues["Pvalue"].sort_index(), dtype=np.float64)


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
