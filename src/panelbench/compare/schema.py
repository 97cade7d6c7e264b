"""What reports/comparison.json holds: the typed form that `compare` writes and the report reads.

Conventions, everywhere in the file:

- A *difference* is RMSE of the first-named minus RMSE of the second, in the target's unit: below zero,
  the first is more accurate.
- `low` and `high` are the ends of an interval at `settings.confidence`; both are null, and `reason` says
  why, where the data allow none. Null always means "not available", never zero.
- Fields under `seeds` carry the uncertainty of retraining, fields under `periods` the uncertainty of the
  test data (target periods resampled in blocks, seeds held fixed). No interval mixes the two.
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


class Failure(Strict):
    """A seed that did not finish."""

    experiment: str
    seed: int
    error: str


class SeriesShare(Strict):
    """One series' part of an experiment's pooled squared error."""

    series: str
    share: float


class Experiment(Strict):
    """One declared experiment; every one has an entry, finished or not."""

    label: str
    model: str
    deterministic: bool
    n_ok: int
    n_failed: int
    seeds: tuple[int, ...]
    n_parameters: int | None
    group: str
    """Compact letters: experiments that share one cannot be told apart; empty without a finished seed."""
    metrics: dict[str, Spread]
    """By metric: rmse, mae, wape, rmsse, bias."""
    scores: dict[str, tuple[float | None, ...]]
    """By metric, one value a seed in the order of `seeds`."""
    periods: Interval
    """Mean RMSE with its interval over target periods."""
    iqm: Interval
    """Interquartile mean of the scaled errors (series x seeds); the interval resamples seeds."""
    top_series: tuple[SeriesShare, ...]
    """The three series with the largest part of the pooled squared error, largest first."""
    top_share: float | None
    """Their part together, 0 to 1."""
    scaled_quartiles: tuple[float, ...]
    """Minimum, quartiles and maximum over series of the seed-mean RMSSE; empty where undefined."""
    rmse_by_step: tuple[float, ...]
    """Mean RMSE at 1 .. horizon steps ahead."""


class Ablation(Strict):
    """Variants against their baseline; Holm is over the variants of this one question."""

    baseline: str
    variants: tuple[Pair, ...]
    missing: tuple[str, ...] = ()
    """Named experiments without a finished seed, which cannot be compared."""


class ConfidenceSet(Strict):
    """Model confidence set (Hansen, Lunde and Nason 2011) on the mean squared error of each target period."""

    size: float
    included: tuple[str, ...]
    p: dict[str, float]
    method: str = "range statistic, moving-block bootstrap"
    reason: str | None = None


class HeldOut(Strict):
    """What was forecast."""

    title: str
    source: str
    target_name: str
    unit: str
    frequency: str
    n_series: int
    n_periods: int
    n_rows: int
    horizon: int
    first: str
    last: str
    panel_sha256: str
    n_scaled_series: int
    """Series with a defined RMSSE: those that change at all before the test block."""


class Method(Strict):
    """How the figures were made."""

    confidence: float
    block_length: int
    resamples: int
    seed: int
    power: float
    n_pairs: int
    seeds_to_pass: int
    """Seeds at which the exact sign-flip test can pass Holm's first step over all pairs."""
    seeds_to_pass_reference: int
    """The same over the comparisons to the reference."""
    group_rule: str
    metrics: dict[str, str]
    """Metric: definition, unit and source in one sentence."""


class Provenance(Strict):
    """Where the runs came from; a list of more than one entry means the runs do not share it."""

    panel_sha256: str
    code_sha256: tuple[str, ...]
    git_revisions: tuple[str, ...]
    versions: dict[str, tuple[str, ...]]
    threads: tuple[str, ...]
    devices: tuple[str, ...]
    platforms: tuple[str, ...]


class Comparison(Strict):
    """The whole of reports/comparison.json."""

    test: HeldOut
    method: Method
    reference: str | None
    reference_rule: str
    order: tuple[str, ...]
    """Experiments by mean RMSE, lowest first; those without a finished seed at the end."""
    experiments: dict[str, Experiment]
    pairs: tuple[Pair, ...]
    """All pairs of finished experiments, `a` before `b` in `order`; Holm over all of them."""
    versus_reference: tuple[Pair, ...]
    """Each other experiment (`a`) minus the reference (`b`); Holm over these."""
    ablations: dict[str, Ablation]
    confidence_set: ConfidenceSet
    failures: tuple[Failure, ...]
    provenance: Provenance
    notes: tuple[str, ...]
    """What a reader has to know before citing a figure; empty when there is nothing."""
