"""What the sections share: means over seeds with their intervals, and captions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from panelbench.compare.spread import t_interval
from panelbench.report import words

FIGURES = "probes/figures"
"""Folder of the pictures, relative to the page's document."""


@dataclass(frozen=True)
class Mean:
    """One quantity over the seeds that did not diverge.

    Attributes
    ----------
    low, high
        t interval of the mean; None for fewer than two.
    lost
        Seeds that diverged.
    """

    values: tuple[float, ...]
    low: float | None
    high: float | None
    lost: int = 0

    @property
    def n(self) -> int:
        """Number of seeds."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """Mean; NaN where every seed diverged."""
        return float(np.mean(self.values)) if self.values else float("nan")

    @property
    def sd(self) -> float | None:
        """Standard deviation over seeds."""
        return float(np.std(self.values, ddof=1)) if self.n > 1 else None

    @property
    def ends(self) -> tuple[float, float]:
        """The interval, or the mean twice where there is none."""
        if self.low is None or self.high is None:
            return self.mean, self.mean
        return self.low, self.high


def mean_of(values: Iterable[float | None], confidence: float) -> Mean:
    """Summarise one value a seed; None is a seed that diverged."""
    found = list(values)
    kept = [value for value in found if value is not None]
    low, high = t_interval(np.array(kept, dtype=float), confidence)
    return Mean(tuple(kept), low, high, len(found) - len(kept))


def told(seeds: Sequence[int], confidence: float) -> str:
    """Return the sentence of a caption on n and the kind of interval."""
    if len(seeds) < 2:
        return "One seed, so there is no interval."
    return f"Mean and {words.percent(confidence)} t interval over seeds (n = {len(seeds)} seeds)."


def said(text: str) -> str:
    """Return the paragraph with what the lecture or its textbook says."""
    return f"**What is taught.** {text}"


def name_of(own: object, name: str) -> str:
    """Return a model's label, or its name in words; plain text."""
    label = own.get("label") if isinstance(own, dict) else None
    return str(label or name.replace("_", " "))


def ratio(value: float) -> str:
    """Return a factor with two or three digits: 1.03, 12, 340."""
    return words.number(value, 2 if value < 9.95 else 0)
