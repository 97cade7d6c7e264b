"""What several tests at once, and few seeds, allow: Holm's adjustment, smallest p, seeds needed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

POWER = 0.8
"""Chance of finding a difference that `seeds_needed` plans for."""
MANY = 10_000
"""From here on the normal approximation of the sample size is exact to within one or two seeds."""


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Adjust p values by Holm's step-down rule (Holm 1979), in the given order.

    None marks a comparison without a test; it stays None and does not count in the family.
    """
    tested = sorted((value, place) for place, value in enumerate(p) if value is not None)
    adjusted: list[float | None] = [None] * len(p)
    largest = 0.0
    for rank, (value, place) in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - rank) * value))
        adjusted[place] = largest
    return adjusted


def smallest_possible_p(n: int) -> float:
    """Return the smallest two-sided p of an exact sign-flip test on n paired differences, 2 / 2^n.

    Five seeds give 0.0625 and so can never pass 0.05; six give 0.03125.
    """
    return min(1.0, 2.0 ** (1 - n))


def seeds_to_pass(family: int, level: float) -> int:
    """Return the fewest seeds whose smallest sign-flip p passes Holm's first step, `level / family`."""
    return max(1, math.ceil(1 - math.log2(level / max(family, 1)) - 1e-12))


def cannot_pass(counts: Sequence[int | None], level: float) -> list[bool]:
    """Say for each comparison of a family whether its sign-flip test cannot pass `level` after Holm.

    Parameters
    ----------
    counts
        Number of paired seeds of each comparison; None where there is no test.

    Notes
    -----
    The best case is every comparison of the family at its own smallest p; one that fails even then
    cannot pass with any data. A comparison without a test cannot pass either.
    """
    best = holm([None if n is None else smallest_possible_p(n) for n in counts])
    return [value is None or value > level for value in best]


def power_of_paired_t(n: int, effect: float, level: float) -> float:
    """Return the power of a two-sided paired t test with n pairs.

    `effect` is the true mean difference over the sd of the differences. From the noncentral t distribution.
    """
    critical = stats.t.ppf(1 - level / 2, n - 1)
    shift = effect * math.sqrt(n)
    return float(stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift))


def seeds_needed(difference: float, sd: float, level: float, power: float = POWER) -> int | None:
    """Return the fewest seeds at which a paired t test finds a true difference with the given power.

    Parameters
    ----------
    difference, sd
        True mean and sd of the paired differences, in the same unit.
    level
        Two-sided level of the one test, not adjusted for a family.

    Returns
    -------
    At least 2; None where the difference is zero, which no number of seeds finds, or where more than a
    billion would be needed.
    """
    if difference == 0 or not math.isfinite(difference) or not math.isfinite(sd):
        return None
    if sd == 0:
        return 2
    effect = abs(difference) / sd
    quantiles = stats.norm.ppf(1 - level / 2) + stats.norm.ppf(power)
    normal = float((quantiles / effect) ** 2)
    if normal > 1e9:
        return None
    if normal > MANY:
        return math.ceil(normal)
    n = max(2, math.floor(normal))
    while _power(n, effect, level) < power:
        n += 1
    return n


def _power(n: int, effect: float, level: float) -> float:
    """Power; a huge effect overflows the noncentral t, where it is 1 for every purpose."""
    value = power_of_paired_t(n, min(effect, 1e3), level)
    return value if np.isfinite(value) else 1.0
