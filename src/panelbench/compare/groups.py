"""Which experiments can be told apart, and the letters that say so.

The rule, in full. Two experiments are *separable* only if

1. the interval of their RMSE difference over target periods excludes zero (simultaneous over all pairs), and
2. where at least one of them has seeds, the paired t test over their common seeds excludes zero in the same
   direction after Holm's adjustment over all pairs.

So a difference counts only if neither another stretch of time nor another training run could plausibly
have turned it round. A pair that cannot be tested (one seed, too short a test block) is not separable. Each
condition is meant to hold its error rate over the whole family, and both are needed, so the chance of one
or more false separations is at most about the level (benchmarks/false_positives.py: how closely with few).

Experiments that share a letter cannot be told apart (compact letter display, Piepho 2004).
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence

from panelbench.compare.schema import PeriodInterval, SeedPair

RULE = (
    "Two experiments share a letter unless both uncertainties tell them apart: the simultaneous interval of "
    "their RMSE difference over target periods excludes zero, and, where at least one has seeds, the paired "
    "t test over seeds (Holm over all pairs) excludes zero in the same direction. What cannot be tested is "
    "not separable."
)


def separate(
    a: str, b: str, seeds: SeedPair, periods: PeriodInterval, needs_seeds: bool, level: float
) -> tuple[bool, str | None, str]:
    """Apply the rule to one pair, whose differences are `a` minus `b`.

    Parameters
    ----------
    needs_seeds
        Whether at least one of the two is not deterministic.
    level
        1 - confidence.

    Returns
    -------
    Whether the pair is separable, the more accurate one if so, and the outcome in one sentence.
    """
    if periods.family_low is None or periods.family_high is None:
        return False, None, f"Not separable: no interval over target periods ({periods.reason})."
    sign = (periods.family_low > 0) - (periods.family_high < 0)
    if sign == 0:
        return False, None, "Not separable: other target periods could turn the difference round."
    better = b if sign > 0 else a
    if not needs_seeds:
        return True, better, "Separable over target periods; neither has seeds."
    if seeds.p_t_holm is None or seeds.mean is None:
        return False, None, f"Not separable: no test over seeds ({seeds.reason})."
    if seeds.p_t_holm > level:
        return False, None, f"Not separable: other seeds could turn the difference round (n = {seeds.n})."
    if (seeds.mean > 0) != (sign > 0):
        return False, None, "Not separable: seeds and target periods point in different directions."
    return True, better, f"Separable over target periods and over seeds (n = {seeds.n})."


def letters(order: Sequence[str], separable: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Give letters to experiments so that two share one exactly if they are not separable.

    Parameters
    ----------
    order
        Experiments, best first; the best carries an "a".
    separable
        Pairs of names that are told apart.

    Returns
    -------
    By name, its letters in alphabetical order, such as "ab". Insert-and-absorb algorithm of Piepho (2004).
    """
    rank = {name: place for place, name in enumerate(order)}
    columns: list[frozenset[str]] = [frozenset(order)] if order else []
    places = sorted((min(rank[a], rank[b]), max(rank[a], rank[b])) for a, b in separable)
    for a, b in ((order[first], order[second]) for first, second in places):
        split = [part for column in columns for part in _without(column, a, b)]
        unique = sorted(set(split), key=lambda column: (-len(column), sorted(rank[name] for name in column)))
        columns = []
        for column in unique:  # larger ones first: absorb what lies inside another
            if not any(column <= kept for kept in columns):
                columns.append(column)
    columns.sort(key=lambda column: sorted(rank[name] for name in column))
    marks = dict.fromkeys(order, "")
    for number, column in enumerate(columns):
        for name in column:
            marks[name] += _letter(number)
    return marks


def _without(column: frozenset[str], a: str, b: str) -> list[frozenset[str]]:
    """Split a column that holds both of a separable pair into one without each."""
    return [column - {a}, column - {b}] if a in column and b in column else [column]


def _letter(number: int) -> str:
    """Return the mark of a column: a .. z, A .. Z, then numbers in brackets."""
    return string.ascii_letters[number] if number < len(string.ascii_letters) else f"({number + 1})"
