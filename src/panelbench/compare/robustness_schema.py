"""What reports/robustness.json holds: the typed form that `robustness` writes and the report reads."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from panelbench.compare.contrast import Over
from panelbench.config import Strict
from panelbench.config.robustness import Metric
from panelbench.files import read_model

FILE = "robustness.json"
Outcome = Literal["holds", "reversed", "not_separable", "not_testable"]


class RoleScore(Strict):
    """One role under one protocol: null where its experiment has no finished seed."""

    experiment: str
    label: str
    n: int = 0
    mean: float | None = None
    """In the protocol's metric, over the seeds that the protocol looks at."""
    sd: float | None = None
    low: float | None = None
    """t interval of the mean over seeds."""
    high: float | None = None
    rank: float | None = None
    """By the mean, 1 is best."""
    rank_low: int | None = None
    """Best and worst place that retraining allows (simultaneous over the role's comparisons)."""
    rank_high: int | None = None
    reason: str | None = None


class Protocol(Strict):
    """One protocol."""

    title: str
    metric: Metric
    seeds: tuple[int, ...] | None
    scores: dict[str, RoleScore]
    """By role."""
    changed: tuple[str, ...] = ()
    """Roles played by another experiment than in the baseline."""


class Cell(Strict):
    """One verdict under one protocol; the difference is first role minus second, below zero as claimed."""

    outcome: Outcome
    difference: float | None = None
    share: float | None = None
    """The difference as a share of the two roles' mean error: comparable between protocols and metrics."""
    low: float | None = None
    """The interval that decides: over seeds, or over target periods where neither role has seeds."""
    high: float | None = None
    over: Over = "nothing"
    n: int | None = None
    period_low: float | None = None
    """Interval over target periods, seeds held fixed; it does not decide, and is there for RMSE alone."""
    period_high: float | None = None
    sentence: str


class JudgedVerdict(Strict):
    """One verdict under every protocol."""

    title: str
    roles: tuple[str, ...]
    margin: float | None
    """Of a tie, as a share of the mean error; null for an order."""
    cells: dict[str, Cell]
    """By protocol."""
    counts: dict[str, int]
    """Protocols by outcome."""
    flipped_by: tuple[str, ...]
    """Protocols under which it is reversed."""
    sentence: str


class Robustness(Strict):
    """The whole of reports/robustness.json; without protocols in params.yaml everything in it is empty."""

    baseline: str | None
    confidence: float
    unit: str
    roles: tuple[str, ...]
    protocols: dict[str, Protocol]
    verdicts: dict[str, JudgedVerdict]


def load_robustness(path: Path = Path("reports") / FILE) -> Robustness:
    """Read robustness.json back as it was written.

    Raises
    ------
    InputError
        If the file is absent or was not written by this version.
    """
    return read_model(Robustness, path, "is not of this version", "Run `dvc repro compare`.")
