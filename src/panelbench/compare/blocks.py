"""Data uncertainty: what another test period of the same length might have said.

Target periods are resampled in moving blocks (Kuensch 1989), the same periods for every series, model and
seed: errors of one period share its weather, holidays and promotions, so series must not be resampled
as if they were independent, and blocks keep the dependence between neighbouring periods. Seeds are held
fixed: these intervals say nothing about retraining.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from panelbench.compare.critical import critical_value
from panelbench.compare.metrics import Scores
from panelbench.compare.schema import Interval, PeriodInterval

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Draws:
    """RMSE of k experiments under B resamples of the target periods.

    Attributes
    ----------
    values
        (B, k) mean over seeds of the pooled RMSE; no rows where the test block is too short.
    estimates
        (k,) the same on the actual test block: the leaderboard's figure.
    reason
        Why there are no resamples, or None.
    """

    values: Float
    estimates: Float
    reason: str | None
    block_length: int = 1
    n_periods: int = 0
    horizon: int = 1

    def critical(self, pairs: Sequence[tuple[int, int]], confidence: float) -> float:
        """Return how many standard errors a family of differences must reach; see `critical_value`."""
        return critical_value(pairs, self.n_periods, self.block_length, confidence, self.horizon)

    def interval(self, draws: Float, estimate: float, confidence: float) -> tuple[float, float]:
        """Return percentiles of the resamples, moved from their own mean to the figure, and widened."""
        normal = float(stats.norm.ppf(0.5 + confidence / 2))
        factor = self.critical([(0, 1)], confidence) / normal
        low, high = percentile_interval(draws, confidence)
        centre = float(draws.mean())
        return estimate - factor * (centre - low), estimate + factor * (high - centre)


def block_for(block_length: int, horizon: int) -> int:
    """Return the length of a block: as set, but no shorter than the horizon.

    Forecasts of several steps share what happened between their origin and their targets, so losses of
    periods less than the horizon apart depend on each other whatever the data. A block of that length does
    not hold all of the dependence; `critical_value` knows how much it leaves out. Longer blocks would hold
    more, and be so few that intervals come out wider.
    """
    return max(block_length, horizon)


def too_short(n_periods: int, block_length: int) -> str | None:
    """Say why a test block of `n_periods` cannot be resampled in blocks, or None where it can."""
    if n_periods >= 2 * block_length and n_periods > 1:
        return None
    needed = max(2, 2 * block_length)
    return (
        f"{n_periods} target periods are too few to resample in blocks of {block_length}; {needed} are needed"
    )


def block_counts(n_periods: int, block_length: int, resamples: int, seed: int) -> Float:
    """Draw moving-block resamples of the periods 0 .. W-1.

    Returns
    -------
    (B, W) how often each period is in each resample; every row sums to W (the last block is cut to fit).
    """
    rng = np.random.default_rng(seed)
    blocks = -(-n_periods // block_length)
    starts = rng.integers(0, n_periods - block_length + 1, size=(resamples, blocks))
    periods = (starts[:, :, None] + np.arange(block_length)).reshape(resamples, -1)[:, :n_periods]
    flat = periods + np.arange(resamples)[:, None] * n_periods
    counts = np.bincount(flat.ravel(), minlength=resamples * n_periods)
    return counts.reshape(resamples, n_periods).astype(np.float64)


def draw_rmse(
    scores: Sequence[Scores], block_length: int, resamples: int, seed: int, root: bool = True
) -> Draws:
    """Resample the target periods once and score every experiment on the same resamples.

    Parameters
    ----------
    root
        False for mean squared errors, the RMSE without its root.
    """
    estimates = np.array([one.values["rmse" if root else "mse"].mean() for one in scores])
    n_periods = scores[0].rows_by_period.size if scores else 0
    reason = too_short(n_periods, block_length)
    if reason:
        return Draws(np.empty((0, len(scores))), estimates, reason)
    counts = block_counts(n_periods, block_length, resamples, seed)
    squared = [(counts @ one.squared.T) / (counts @ one.rows_by_period)[:, None] for one in scores]
    columns = [(np.sqrt(values) if root else values).mean(axis=1) for values in squared]
    return Draws(np.stack(columns, axis=1), estimates, None, block_length, n_periods, scores[0].horizon)


def percentile_interval(draws: Float, confidence: float) -> tuple[float, float]:
    """Return the equal-tailed percentile interval of (B,) resampled figures."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return float(low), float(high)


def rmse_intervals(draws: Draws, confidence: float) -> list[Interval]:
    """Return the interval over target periods of each experiment's mean RMSE."""
    if draws.reason:
        return [Interval(estimate=float(value), reason=draws.reason) for value in draws.estimates]
    result = []
    for value, column in zip(draws.estimates.tolist(), draws.values.T, strict=True):
        low, high = draws.interval(column, value, confidence)
        result.append(Interval(estimate=value, low=max(0.0, low), high=high))
    return result


def difference_intervals(
    draws: Draws, pairs: Sequence[tuple[int, int]], confidence: float
) -> list[PeriodInterval]:
    """Return pointwise and simultaneous intervals of RMSE differences over one family of pairs.

    Parameters
    ----------
    pairs
        P pairs (i, j) of columns of `draws`; the difference is i - j.

    Notes
    -----
    Pointwise: percentiles, widened for few blocks. Simultaneous: `difference +- c * se`, where se is the sd
    of the resampled difference and c the `critical_value` of the whole family: all P intervals hold
    together at the stated confidence. A pair with identical losses has no spread and stays at zero.
    """
    if draws.reason or not pairs:
        return [
            PeriodInterval(estimate=float(draws.estimates[i] - draws.estimates[j]), reason=draws.reason)
            for i, j in pairs
        ]
    critical = draws.critical(pairs, confidence)
    errors: list[float] = []
    points: list[tuple[float, float]] = []
    for i, j in pairs:
        difference = draws.values[:, i] - draws.values[:, j]
        error = float(difference.std(ddof=1))
        # rounding alone must not make two identical columns look different
        error = 0.0 if error <= 1e-12 * max(1.0, float(np.abs(draws.values[:, i]).max())) else error
        errors.append(error)
        points.append(draws.interval(difference, float(draws.estimates[i] - draws.estimates[j]), confidence))
    result = []
    for (i, j), error, (low, high) in zip(pairs, errors, points, strict=True):
        estimate = float(draws.estimates[i] - draws.estimates[j])
        result.append(
            PeriodInterval(
                estimate=estimate,
                low=low,
                high=high,
                family_low=estimate - critical * error,
                family_high=estimate + critical * error,
            )
        )
    return result
