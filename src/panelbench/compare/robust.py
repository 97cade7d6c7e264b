"""Aggregates that a few hard series cannot rule: interquartile mean, probability of improvement.

Both read the (R, S) matrix of scaled errors, seeds x series. The ideas are those of Agarwal et al. (2021),
"Deep reinforcement learning at the edge of the statistical precipice"; what is resampled differs. There,
each task has runs of its own. Here one seed trains one model for all series, so its errors rise and fall
together and a seed is resampled whole; the strata of the bootstrap are the experiments, each of which
keeps its own number of seeds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from panelbench.compare.blocks import percentile_interval
from panelbench.compare.metrics import Scores
from panelbench.compare.schema import Interval

Float = NDArray[np.float64]
CELLS = 20_000_000
"""Numbers compared at once by `win_rates`."""


def seed_counts(n_seeds: int, resamples: int, seed: int) -> Float:
    """Resample n seeds with replacement; returns (B, n) how often each is in each resample."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(n_seeds, np.full(n_seeds, 1 / n_seeds), size=resamples).astype(np.float64)


def interquartile_mean(values: Float, weights: Float | None = None) -> float:
    """Mean of the middle half of the values.

    Parameters
    ----------
    values
        (N,) values; a quarter of their weight, rounded down to a whole value, is cut from each end.
    weights
        (N,) how often each value counts; by default once.
    """
    order = np.argsort(values, kind="stable")
    weight = np.ones(values.size) if weights is None else weights[order]
    total = np.cumsum(weight)
    cut = np.floor(0.25 * total[-1])
    kept = np.diff(np.clip(total, cut, total[-1] - cut), prepend=cut)
    return float(kept @ values[order] / kept.sum())


def iqm_interval(scores: Scores, confidence: float, resamples: int, seed: int) -> Interval:
    """Interquartile mean of an experiment's scaled errors, with the interval over resampled seeds."""
    defined = np.isfinite(scores.scaled).all(axis=0)
    values = scores.scaled[:, defined]
    if not values.size:
        return Interval(estimate=None, reason="no series has a defined scaled error")
    estimate = interquartile_mean(values.ravel())
    reason = _no_seeds(scores)
    if reason:
        return Interval(estimate=estimate, reason=reason)
    # few seeds have few distinct resamples: each is worked out once
    counts, place = np.unique(seed_counts(len(scores.seeds), resamples, seed), axis=0, return_inverse=True)
    order = np.argsort(values, axis=None, kind="stable")
    ascending, seed_of = values.ravel()[order], order // values.shape[1]
    draws = np.array([interquartile_mean(ascending, row[seed_of]) for row in counts])
    low, high = percentile_interval(draws[place.ravel()], confidence)
    return Interval(estimate=estimate, low=low, high=high)


def win_rates(a: Float, b: Float) -> Float:
    """Return the (Ra, Rb) share of series on which a run of `a` (Ra, S) is below one of `b`; ties half."""
    step = max(1, CELLS // max(1, b.size))
    rows = []
    for start in range(0, a.shape[0], step):
        part = a[start : start + step, None, :]
        rows.append((part < b).mean(axis=2) + 0.5 * (part == b).mean(axis=2))
    return np.concatenate(rows)


def improvement(a: Scores, b: Scores, confidence: float, resamples: int, seed: int) -> Interval:
    """Probability that `a` has the lower scaled error than `b` on a random series with random seeds.

    0.5 is no improvement. The interval resamples seeds within each experiment; a deterministic one has
    nothing to resample and enters as it is.
    """
    defined = np.isfinite(a.scaled).all(axis=0) & np.isfinite(b.scaled).all(axis=0)
    if not defined.any():
        return Interval(estimate=None, reason="no series has a defined scaled error")
    wins = win_rates(a.scaled[:, defined], b.scaled[:, defined])
    estimate = float(wins.mean())
    reasons = [_no_seeds(one) for one in (a, b) if not one.deterministic]
    if not reasons:
        return Interval(estimate=estimate, reason="both are deterministic")
    if any(reasons):
        return Interval(estimate=estimate, reason="one seed has no spread to judge by")
    of_a = seed_counts(len(a.seeds), resamples, seed) / len(a.seeds)
    of_b = seed_counts(len(b.seeds), resamples, seed + 1) / len(b.seeds)
    low, high = percentile_interval(np.einsum("br,rq,bq->b", of_a, wins, of_b), confidence)
    return Interval(estimate=estimate, low=low, high=high)


def _no_seeds(scores: Scores) -> str | None:
    if scores.deterministic:
        return "deterministic: there are no seeds to resample"
    return "one seed has no spread to judge by" if len(scores.seeds) < 2 else None
