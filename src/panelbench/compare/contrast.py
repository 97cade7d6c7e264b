"""The difference of two experiments on one metric, with the interval that decides about it.

Claims and verdicts are about retraining: seed r of one experiment is paired with seed r of the other, and
the t interval of the mean difference decides. Two models without randomness have no seeds; there, and
only there, the interval over target periods (moving blocks) takes its place, and `over` says so. The two
uncertainties are never mixed in one interval.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from panelbench.compare.blocks import Draws, block_for, draw_rmse
from panelbench.compare.metrics import Scores
from panelbench.compare.paired import pair_seeds
from panelbench.compare.spread import t_interval
from panelbench.config.settings import CompareSettings

Float = NDArray[np.float64]
Over = Literal["seeds", "periods", "nothing"]
NONE: Float = np.empty(0)


@dataclass(frozen=True)
class Contrast:
    """`a` minus `b`: below zero, `a` has the lower error.

    Attributes
    ----------
    estimate
        Mean of the paired differences; for two deterministic models their one difference.
    scale
        Mean of the two scores, to which relative margins refer.
    n
        Paired seeds; 1 for two deterministic models.
    over
        What the interval is over; "nothing" where the data allow none, and `reason` says why.
    values
        (n,) differences by seed.
    draws
        Both errors under resampled target periods, `a` first; None unless `over` is "periods".
    """

    a: str
    b: str
    metric: str
    estimate: float
    scale: float
    n: int
    over: Over
    values: Float = field(default_factory=lambda: NONE, repr=False)
    draws: Draws | None = field(default=None, repr=False)
    reason: str | None = None

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the interval of the difference at a confidence.

        Raises
        ------
        ValueError
            Where `over` is "nothing".
        """
        if self.over == "periods" and self.draws is not None:
            return _over_periods(self.draws, confidence)
        low, high = t_interval(self.values, confidence)
        if self.over != "seeds" or low is None or high is None:
            raise ValueError(f"no interval: {self.reason}")
        return low, high


def contrast(a: Scores, b: Scores, metric: str, settings: CompareSettings) -> Contrast:
    """Compare two finished experiments on one metric (a key of `metrics.DEFINITIONS`).

    Two of different horizons were scored on different rows: there, as where one leaks, is no interval.
    """
    scale = float((a.values[metric].mean() + b.values[metric].mean()) / 2)
    apart = not_comparable(a, b)
    if apart:
        return Contrast(a.name, b.name, metric, float("nan"), scale, 0, "nothing", reason=apart)
    if a.deterministic and b.deterministic:
        estimate = float(a.values[metric][0] - b.values[metric][0])
        draws, reason = _resampled(a, b, metric, settings)
        over: Over = "nothing" if reason else "periods"
        return Contrast(a.name, b.name, metric, estimate, scale, 1, over, draws=draws, reason=reason)
    _, values = pair_seeds(a, b, metric)
    if not values.size:
        reason = "the two have no finished seed in common"
        return Contrast(a.name, b.name, metric, float("nan"), scale, 0, "nothing", reason=reason)
    reason = None if values.size > 1 else "one seed in common has no spread to judge by"
    if not np.isfinite(values).all():
        reason = f"{metric} is undefined here"
    return Contrast(
        a.name,
        b.name,
        metric,
        float(values.mean()),
        scale,
        int(values.size),
        "nothing" if reason else "seeds",
        values=values,
        reason=reason,
    )


def different_rows(a: Scores, b: Scores) -> str | None:
    """Say that two experiments were scored on different rows; None where the rows are the same."""
    if a.horizon == b.horizon:
        return None
    return (
        f"'{a.name}' forecasts {a.horizon} and '{b.name}' {b.horizon} periods ahead, so their errors are "
        "over different rows"
    )


def not_comparable(a: Scores, b: Scores) -> str | None:
    """Say why the scores of two experiments must not decide anything, or None where they may."""
    leaks = [f"'{one.name}'" for one in (a, b) if one.leaks]
    leak = f"the split of {' and '.join(leaks)} leaks, so its score decides nothing" if leaks else None
    return different_rows(a, b) or leak


def _resampled(
    a: Scores, b: Scores, metric: str, settings: CompareSettings
) -> tuple[Draws | None, str | None]:
    if metric not in {"rmse", "mse"}:
        return None, "neither has seeds, and the interval over target periods is made for RMSE and MSE alone"
    length = block_for(settings.block_length, a.horizon)
    draws = draw_rmse([a, b], length, settings.resamples, settings.seed, root=metric == "rmse")
    return (None, draws.reason) if draws.reason else (draws, None)


def _over_periods(draws: Draws, confidence: float) -> tuple[float, float]:
    estimate = float(draws.estimates[0] - draws.estimates[1])
    return draws.interval(draws.values[:, 0] - draws.values[:, 1], estimate, confidence)


def period_interval(a: Scores, b: Scores, settings: CompareSettings) -> tuple[float, float] | None:
    """Return the interval over target periods of the RMSE of `a` minus that of `b`, seeds held fixed."""
    draws, _ = _resampled(a, b, "rmse", settings)
    return None if draws is None else _over_periods(draws, settings.confidence)


def with_seeds(scores: Scores, seeds: tuple[int, ...] | None) -> Scores | None:
    """Return the scores of some seeds alone; None where none of them finished.

    None for `seeds` means all. A deterministic experiment has one run, which stands for every seed.
    """
    if seeds is None or scores.deterministic:
        return scores
    places = [place for place, seed in enumerate(scores.seeds) if seed in seeds]
    if not places:
        return None
    return replace(
        scores,
        seeds=tuple(scores.seeds[place] for place in places),
        values={metric: values[places] for metric, values in scores.values.items()},
        squared=scores.squared[places],
        squared_by_series=scores.squared_by_series[places],
        scaled=scores.scaled[places],
        rmse_by_step=scores.rmse_by_step[places],
        mae_by_step=scores.mae_by_step[places],
    )
