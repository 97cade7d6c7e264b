"""How many standard errors a difference over few, dependent periods must reach: simulated, not tabulated.

The standard error that a block bootstrap gives is itself uncertain: 26 weeks hold six blocks of four. A
normal quantile, or a t quantile with so many degrees of freedom that the two moments fit, is then too small,
and the more so the more pairs are looked at. Instead the whole statistic is repeated on periods that are
known to hold no difference, and the quantile is read off. The answer depends on the number of periods over
the block length, on the pairs and on the confidence alone, so it can be worked out once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

SIMULATIONS = 20_000
"""Test blocks simulated for one pair."""
FOR_FAMILIES = (5_000, 2_000)
"""The same for several pairs, whose work grows with their number, and for more than `MANY`."""
MANY = 1_000
LONGEST = 120
"""Periods simulated at most: beyond, only the ratio of block length to periods matters."""
CELLS = 2_000_000
"""Numbers held at a time."""


def critical_value(
    pairs: Sequence[tuple[int, int]],
    n_periods: int,
    block_length: int,
    confidence: float,
    horizon: int = 1,
) -> float:
    """Return c such that all `difference +- c * standard error` hold together at a confidence.

    Parameters
    ----------
    pairs
        Positions (i, j) of the models that are compared; one pair gives the value for a single interval.
    n_periods, block_length
        Test periods and the length of a bootstrap block, at most half of them.
    confidence
        Of the whole family.
    horizon
        Steps ahead. Forecasts of several steps overlap: their errors in two periods j < `horizon` apart
        share part of what happened, whatever the data. The simulated periods are then correlated as the
        squares of errors that add up from step to step: by (1 - j / horizon)^2.

    Notes
    -----
    Fixed-b asymptotics (Kiefer and Vogelsang 2005, "A new asymptotic theory for heteroskedasticity-
    autocorrelation robust tests"): the variance estimate's own distribution under a block that is a fixed
    share of the sample is part of the reference distribution. The variance of a mean under moving blocks is
    close to the Bartlett estimate (Kuensch 1989) and is simulated as it is computed, last block cut
    included. Over all pairs of k models the value is that of Tukey's studentised range (Tukey-Kramer),
    which holds the level or more where the models' losses are correlated or differ in variance. The
    simulated periods are independent and normal. Losses with heavier but even tails are exceeded less often;
    strongly dependent periods more often, see benchmarks/false_positives.py.
    """
    wanted = sorted({(min(pair), max(pair)) for pair in pairs})
    place = {model: k for k, model in enumerate(sorted({one for pair in wanted for one in pair}))}
    placed = tuple((place[i], place[j]) for i, j in wanted)
    return _quantile(placed, *_scaled(n_periods, block_length, horizon), round(confidence, 12))


@lru_cache(maxsize=512)
def _quantile(
    pairs: tuple[tuple[int, int], ...], n_periods: int, length: int, horizon: int, confidence: float
) -> float:
    largest = [ratios.max(axis=1) for ratios in _ratios(pairs, n_periods, length, horizon)]
    return float(np.quantile(np.concatenate(largest), confidence))


@lru_cache(maxsize=64)
def null_ranges(k: int, n_periods: int, block_length: int, horizon: int = 1) -> Float:
    """Return the largest of all pairs' standardised differences, simulated where there is no difference.

    Returns
    -------
    (k - 1, B): for the first 2 .. k of k equal models, in B simulated test blocks, each row ascending.
    """
    pairs = tuple((i, j) for j in range(1, k) for i in range(j))
    ends = np.cumsum(np.arange(1, k)) - 1  # where the pairs of the first 2, 3, .. models end
    parts = [
        np.maximum.accumulate(ratios, axis=1)[:, ends]
        for ratios in _ratios(pairs, *_scaled(n_periods, block_length, horizon))
    ]
    return np.sort(np.concatenate(parts).T, axis=1)


def _scaled(n_periods: int, block_length: int, horizon: int) -> tuple[int, int, int]:
    """Return a test block of at most `LONGEST` periods with the same shares."""
    share = max(1.0, n_periods / LONGEST)
    return (
        round(n_periods / share),
        max(1, round(block_length / share)),
        max(1, round(horizon / share)),
    )


def _ratios(pairs: tuple[tuple[int, int], ...], n_periods: int, length: int, horizon: int) -> Iterator[Float]:
    """Yield (B, P) standardised differences of P pairs of equal models, some simulations at a time."""
    one, other = np.array(pairs, dtype=np.int64).T
    k = int(max(one.max(), other.max())) + 1
    total = SIMULATIONS if len(pairs) == 1 else FOR_FAMILIES[len(pairs) > MANY]
    step = max(1, CELLS // (k * max(n_periods, k) + 4 * len(pairs)))
    rng = np.random.default_rng(n_periods)
    root = overlap(n_periods, horizon) if horizon > 1 else None
    for start in range(0, total, step):
        values = rng.standard_normal((min(step, total - start), k, n_periods))
        if root is not None:
            values = values @ root.T
        yield standardised(values, length, one, other)


def standardised(values: Float, length: int, one: NDArray[np.int64], other: NDArray[np.int64]) -> Float:
    """Return (B, P) absolute differences of means over their block-bootstrap standard errors.

    Parameters
    ----------
    values
        (B, k, W) values of k models in W periods, in B independent cases.
    one, other
        (P,) the pairs' models.
    """
    variance = block_variance(values, length)
    diagonal = np.einsum("bkk->bk", variance)
    of_pair = diagonal[:, one] + diagonal[:, other] - 2 * variance[:, one, other]
    mean = values.mean(axis=2)
    return np.asarray(np.abs(mean[:, one] - mean[:, other]) / np.sqrt(np.maximum(of_pair, 1e-300)))


def block_variance(values: Float, length: int) -> Float:
    """Return the covariance of k means under a moving-block bootstrap, without drawing it.

    Parameters
    ----------
    values
        (B, k, W) values of k models in W periods, in B independent cases.

    Returns
    -------
    (B, k, k): of the sum of W // length whole blocks and one that is cut to what is left, over W squared.
    """
    n_periods = values.shape[2]
    whole, rest = divmod(n_periods, length)
    starts = n_periods - length + 1

    def covariance(size: int) -> Float:
        sums = moving_sum(values, size)[:, :, :starts]
        sums -= sums.mean(axis=2, keepdims=True)
        return np.asarray(sums @ sums.transpose(0, 2, 1) / starts)

    total = whole * covariance(length)
    if rest:
        total += covariance(rest)
    return np.asarray(total / n_periods**2)


def overlap(n_periods: int, horizon: int) -> Float:
    """Return a root (W, W) of the correlations of losses in W periods: root @ root.T holds them."""
    apart = np.abs(np.subtract.outer(np.arange(n_periods), np.arange(n_periods)))
    correlation = np.maximum(0.0, 1 - apart / horizon) ** 2
    return np.asarray(np.linalg.cholesky(correlation + 1e-9 * np.eye(n_periods)))


def moving_sum(values: Float, size: int) -> Float:
    """Return the (B, k, W - size + 1) sums of `size` neighbours of (B, k, W) values."""
    if size == 1:
        return values.copy()
    summed = values.cumsum(axis=2)
    summed[:, :, size:] -= summed[:, :, :-size].copy()
    return summed[:, :, size - 1 :]
