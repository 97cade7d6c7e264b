"""The parts of reports/comparison.json that describe one figure, or two experiments compared.

The conventions are those of `schema`, which is the whole of the file.
"""

from __future__ import annotations

from panelbench.config import Strict


class Spread(Strict):
    """One metric over the seeds that finished."""

    n: int
    mean: float | None = None
    sd: float | None = None
    """With n - 1; null for one seed."""
    min: float | None = None
    max: float | None = None
    low: float | None = None
    """t interval of the mean over seeds; null for one seed and for a deterministic model."""
    high: float | None = None


class Interval(Strict):
    """A figure with the interval that resampling gives."""

    estimate: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


class PeriodInterval(Interval):
    """A difference in RMSE with its intervals over target periods."""

    family_low: float | None = None
    """Simultaneous interval: all pairs of the comparison are inside theirs at the stated confidence."""
    family_high: float | None = None


class SeedPair(Strict):
    """Differences between two experiments over their common seeds."""

    n: int
    seeds: tuple[int, ...] = ()
    differences: tuple[float, ...] = ()
    mean: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    p_t: float | None = None
    """Paired t test, two-sided: assumes differences that are normal over seeds."""
    p_t_holm: float | None = None
    p_sign: float | None = None
    """Exact sign-flip test, two-sided: assumes only that each difference is as likely above as below zero."""
    p_sign_holm: float | None = None
    smallest_p: float | None = None
    """The smallest `p_sign` that n seeds can give."""
    descriptive: bool = True
    """True where `p_sign` cannot pass the level after Holm, however large the difference is."""
    family: int = 0
    """Number of tests that Holm's adjustment is over."""
    seeds_needed: int | None = None
    """Seeds that find a true difference of this size and spread with 80 % power (paired t, unadjusted)."""
    reason: str | None = None


class DieboldMariano(Strict):
    """Diebold-Mariano test with the Harvey-Leybourne-Newbold correction on one loss a target period."""

    statistic: float | None
    p: float | None
    p_holm: float | None = None
    n: int
    """Target periods."""
    lags: int
    horizon: int
    kernel: str = "Bartlett (Newey-West)"
    reason: str | None = None


class Pair(Strict):
    """Everything about two experiments; the difference is `a` minus `b`."""

    a: str
    b: str
    difference: float
    """Mean RMSE of `a` minus mean RMSE of `b`, each over all of its own seeds."""
    seeds: SeedPair
    periods: PeriodInterval
    dm: DieboldMariano
    improvement: Interval
    """Probability that `a` has the lower scaled error on a random series with a random seed of each."""
    separable: bool
    """By the rule in `method.group_rule`, adjusted over the family that this pair is listed in."""
    better: str | None
    """The more accurate one where the pair is separable."""
    why: str
    """The rule's outcome in one sentence."""
