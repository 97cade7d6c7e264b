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

from pathlib import Path
from typing import Literal

from panelbench.compare.experiment_schema import Experiment, Failure, Mode, SeriesShare, StepError
from panelbench.compare.pair_schema import DieboldMariano, Interval, Pair, PeriodInterval, SeedPair, Spread
from panelbench.config import Strict
from panelbench.files import read_model

__all__ = [
    "FILE",
    "Ablation",
    "Comparison",
    "ConfidenceSet",
    "DieboldMariano",
    "Experiment",
    "Failure",
    "HeldOut",
    "Interval",
    "Method",
    "Mode",
    "Pair",
    "PeriodInterval",
    "Provenance",
    "SeedPair",
    "SeriesShare",
    "Spread",
    "StepError",
    "Support",
    "Task",
    "load_comparison",
]

FILE = "comparison.json"


class Ablation(Strict):
    """Variants against their baseline; adjusted over the variants of this one question."""

    baseline: str
    variants: tuple[Pair, ...]
    pairs: tuple[Pair, ...]
    """Every two of baseline and variants, lower error first; adjusted over these pairs."""
    groups: dict[str, str]
    """Letters by name, from `pairs`: experiments that share one cannot be told apart."""
    missing: tuple[str, ...] = ()
    """Named experiments without a finished seed, which cannot be compared."""


class ConfidenceSet(Strict):
    """Model confidence set (Hansen, Lunde and Nason 2011) on the mean squared error of each target period."""

    size: float
    included: tuple[str, ...]
    p: dict[str, float]
    method: str = "range statistic, blocks of target periods, simulated reference"
    reason: str | None = None


class Support(Strict):
    """What the test block and the seeds can carry: whether learned models can be ranked at all.

    `first` and `second` are the two most accurate learned models (repeating an old value is no learning).
    """

    can_rank: bool
    reasons: tuple[str, ...]
    """Why not, each a clause; empty where the data can carry a ranking of some."""
    sentence: str
    """The same with the figures, ready to print."""
    n_pairs: int
    """Pairs of learned models."""
    n_separable: int
    first: str | None = None
    second: str | None = None
    difference: float | None = None
    """Mean RMSE of `second` minus that of `first`: zero or more."""
    low: float | None = None
    """Interval over target periods, simultaneous over all pairs."""
    high: float | None = None
    half_width: float | None = None
    times: float | None = None
    """Half-width over difference: above one, the interval reaches over zero."""
    n_periods: int = 0
    n_blocks: int = 0
    """Whole blocks of `method.block_length` in the test block."""
    periods_needed: int | None = None
    """Target periods that would tell these two alone apart with `method.power`, were their difference and its
    spread as measured; null where nothing can be said or no number of them would do."""
    n_seeds: int | None = None
    seeds_needed: int | None = None
    """The same for seeds."""


class Task(Strict):
    """What experiments must share to be compared: the horizon."""

    id: str
    """"one_step" or "multi_step_24": the name of its folder and anchor."""
    title: str
    horizon: int
    modes: tuple[Mode, ...]
    """Modes of its experiments, each once."""


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
    """As used: that of params.yaml, or the horizon where that is more."""
    resamples: int
    seed: int
    power: float
    n_pairs: int
    seeds_to_pass: int
    """Seeds at which the exact sign-flip test can pass Holm's first step over all pairs."""
    seeds_to_pass_reference: int
    """The same over the comparisons to the reference."""
    n_reference: int
    """Comparisons that `versus_reference` is adjusted over."""
    reference_family: Literal["all pairs", "the comparisons with the reference"]
    """All pairs where the data chose the reference: any other could have been it."""
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
    """The whole of reports/comparison.json: the main task, and `others` for those of another horizon."""

    task: Task
    test: HeldOut
    method: Method
    reference: str | None
    reference_rule: str
    order: tuple[str, ...]
    """The task's experiments by mean RMSE, lowest first; those without a finished seed at the end."""
    leaky: tuple[str, ...]
    """The task's experiments whose split leaks, by mean RMSE: shown, and no part of anything else."""
    experiments: dict[str, Experiment]
    """Every declared experiment; in one of `others` the task's own."""
    pairs: tuple[Pair, ...]
    """All pairs of finished experiments, `a` before `b` in `order`; adjusted over all of them."""
    versus_reference: tuple[Pair, ...]
    """Each other experiment (`a`) minus the reference (`b`); adjusted over `method.reference_family`."""
    ablations: dict[str, Ablation]
    confidence_set: ConfidenceSet
    support: Support
    failures: tuple[Failure, ...]
    provenance: Provenance
    notes: tuple[str, ...]
    """What a reader has to know before citing a figure; empty when there is nothing."""
    others: tuple[Comparison, ...] = ()
    """The other tasks, each a comparison of its own; nothing is compared across tasks."""

    @property
    def every(self) -> tuple[Comparison, ...]:
        """All tasks, the main one first."""
        return (self, *self.others)


def load_comparison(path: Path = Path("reports") / FILE) -> Comparison:
    """Read comparison.json back as it was written.

    Raises
    ------
    InputError
        If the file is absent or was not written by this version.
    """
    return read_model(Comparison, path, "is not a comparison of this version", "Run `dvc repro compare`.")
