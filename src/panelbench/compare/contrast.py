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

from panelbench.compare.blocks import draw_rmse, percentile_interval
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
        (B,) differences under resampled target periods; empty unless `over` is "periods".
    """

    a: str
    b: str
    metric: str
    estimate: float
    scale: float
    n: int
    over: Over
    values: Float = field(default_factory=lambda: NONE, repr=False)
    draws: Float = field(default_factory=lambda: NONE, repr=False)
    reason: str | None = None

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the interval of the difference at a confidence.

        Raises
        ------
        ValueError
            Where `over` is "nothing".
        """
        if self.over == "periods":
            return percentile_interval(self.draws, confidence)
        low, high = t_interval(self.values, confidence)
        if self.over != "seeds" or low is None or high is None:
            raise ValueError(f"no interval: {self.reason}")
        return low, high

    @property
    def turned(self) -> Contrast:
        """The same difference, `b` minus `a`."""
        return replace(
            self, a=self.b, b=self.a, estimate=-self.estimate, values=-self.values, draws=-self.draws
        )


def contrast(a: Scores, b: Scores, metric: str, settings: CompareSettings) -> Contrast:
    """Compare two finished experiments on one metric (a key of `metrics.DEFINITIONS`)."""
    scale = float((a.values[metric].mean() + b.values[metric].mean()) / 2)
    if a.deterministic and b.deterministic:
        estimate = float(a.values[metric][0] - b.values[metric][0])
        draws, reason = _over_periods(a, b, metric, settings)
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


def _over_periods(a: Scores, b: Scores, metric: str, settings: CompareSettings) -> tuple[Float, str | None]:
    if metric != "rmse":
        return NONE, "neither has seeds, and the interval over target periods is made for RMSE alone"
    draws = draw_rmse([a, b], settings.block_length, settings.resamples, settings.seed)
    if draws.reason:
        return NONE, draws.reason
    return np.asarray(draws.values[:, 0] - draws.values[:, 1]), None


def period_interval(a: Scores, b: Scores, settings: CompareSettings) -> tuple[float, float] | None:
    """Return the interval over target periods of the RMSE of `a` minus that of `b`, seeds held fixed."""
    draws, reason = _over_periods(a, b, "rmse", settings)
    return None if reason else percentile_interval(draws, settings.confidence)


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
    )
