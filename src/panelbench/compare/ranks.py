"""Ranks with intervals: which places a model could have taken, as far as retraining is concerned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from panelbench.compare.contrast import contrast
from panelbench.compare.metrics import Scores
from panelbench.config.settings import CompareSettings


@dataclass(frozen=True)
class Rank:
    """A place by mean error (1 is best, ties share the mean place) and the best and worst it could be."""

    rank: float
    low: int
    high: int


def ranks(scores: Mapping[str, Scores], metric: str, settings: CompareSettings) -> dict[str, Rank]:
    """Rank models by their mean error.

    Parameters
    ----------
    scores
        By name, k models with a finished seed.

    Returns
    -------
    By name. A model's best place is one behind all that are certainly better, its worst one before all that
    are certainly worse: certain is a paired interval that excludes zero at a confidence adjusted for the
    model's k - 1 comparisons (Bonferroni), after Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for
    ranks". Pairs without an interval are never certain. Without an entry: models whose metric is undefined.
    """
    means = {name: float(one.values[metric].mean()) for name, one in scores.items()}
    defined = [name for name, mean in means.items() if np.isfinite(mean)]
    adjusted = 1 - (1 - settings.confidence) / max(1, len(defined) - 1)
    signs = {
        (one, other): _sign(scores[one], scores[other], metric, settings, adjusted)
        for place, one in enumerate(defined)
        for other in defined[place + 1 :]
    }
    result = {}
    for name in defined:
        against = [
            sign if one == name else -sign for (one, other), sign in signs.items() if name in (one, other)
        ]
        below = sum(means[other] < means[name] for other in defined)
        equal = sum(means[other] == means[name] for other in defined)
        result[name] = Rank(
            rank=below + (equal + 1) / 2,
            low=1 + sum(sign > 0 for sign in against),
            high=len(defined) - sum(sign < 0 for sign in against),
        )
    return result


def _sign(one: Scores, other: Scores, metric: str, settings: CompareSettings, confidence: float) -> int:
    """Return 1 where `one` certainly has the larger error, -1 the smaller, 0 where nothing is certain."""
    found = contrast(one, other, metric, settings)
    if found.over == "nothing":
        return 0
    low, high = found.interval(confidence)
    return int(low > 0) - int(high < 0)
