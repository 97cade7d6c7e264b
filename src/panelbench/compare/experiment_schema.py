"""The parts of reports/comparison.json that describe one experiment.

The conventions are those of `schema`, which is the whole of the file.
"""

from __future__ import annotations

from typing import Literal

from panelbench.compare.pair_schema import Interval, Spread
from panelbench.config import Strict

Mode = Literal["rolling", "direct", "recursive"]
"""How several steps are forecast: not at all (true values arrive after each), all at once, or fed back."""


class Failure(Strict):
    """A seed that did not finish."""

    experiment: str
    seed: int
    error: str


class SeriesShare(Strict):
    """One series' part of an experiment's pooled squared error."""

    series: str
    share: float


class StepError(Strict):
    """Errors at one number of steps ahead."""

    step: int
    n: int
    """Test rows of a seed at this step."""
    rmse: Spread
    mae: Spread


class Experiment(Strict):
    """One declared experiment; every one has an entry, finished or not."""

    label: str
    model: str
    horizon: int
    mode: Mode
    leaks: bool
    """Whether it is declared to train on targets that it is scored on; such a score ranks nothing."""
    deterministic: bool
    n_ok: int
    n_failed: int
    seeds: tuple[int, ...]
    n_parameters: int | None
    group: str
    """Compact letters: experiments that share one cannot be told apart; empty without a finished seed."""
    metrics: dict[str, Spread]
    """By metric: rmse, mse, mae, wape, rmsse, bias."""
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
    by_step: tuple[StepError, ...]
    """At 1 .. horizon steps ahead; empty without a finished seed."""
