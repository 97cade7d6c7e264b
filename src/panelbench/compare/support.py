"""What the data can carry: whether learned models can be ranked at all, and how much it would take."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scipy import stats

from panelbench.compare.blocks import Draws
from panelbench.compare.claims.wording import figure
from panelbench.compare.critical import critical_value
from panelbench.compare.metrics import Scores
from panelbench.compare.multiplicity import POWER
from panelbench.compare.runs import Outcome
from panelbench.compare.schema import Pair, Support

BASELINES = ("last_value", "seasonal_naive")
"""Models that learn nothing: that others beat them is no ranking of the others."""
FEWEST_BLOCKS = 5
"""Below, the variance that every interval over periods rests on is itself hardly known: the interval of one
pair must be 1.5 times (four blocks) to 2.6 times (two) as wide as with many."""
MOST_PERIODS = 1_000_000


def support(
    scores: Sequence[Scores],
    outcomes: Mapping[str, Outcome],
    pairs: Sequence[Pair],
    draws: Draws,
    confidence: float,
    n_periods: int,
    block_length: int,
) -> Support:
    """Say whether one test block, and the seeds there are, can rank the learned models.

    Parameters
    ----------
    scores
        Finished experiments of one task, lowest error first, and `draws` of them in the same order.
    pairs
        All pairs of them.
    """
    names = [one.name for one in scores]
    learned = [name for name in names if outcomes[name].model not in BASELINES]
    among = [pair for pair in pairs if pair.a in learned and pair.b in learned]
    separable = sum(pair.separable for pair in among)
    blocks = n_periods // block_length
    base = Support(
        can_rank=True,
        reasons=(),
        sentence="",
        n_pairs=len(among),
        n_separable=separable,
        n_periods=n_periods,
        n_blocks=blocks,
    )
    if not among:
        return base.model_copy(update={"sentence": "Fewer than two learned models finished: none to rank."})
    first, second = learned[:2]
    pair = next(one for one in among if {one.a, one.b} == {first, second})
    reasons = _reasons(len(among), separable, blocks, n_periods, block_length, draws.reason)
    found = base.model_copy(
        update={
            "can_rank": not reasons,
            "reasons": tuple(reasons),
            "first": first,
            "second": second,
            **_distance(pair, first),
            "periods_needed": periods_needed(draws, names.index(first), names.index(second), confidence),
            "n_seeds": pair.seeds.n,
            "seeds_needed": pair.seeds.seeds_needed,
        }
    )
    labels = outcomes[first].label, outcomes[second].label
    return found.model_copy(update={"sentence": _sentence(found, *labels)})


def _reasons(
    n_pairs: int, separable: int, blocks: int, n_periods: int, length: int, too_short: str | None
) -> list[str]:
    """List why nothing can be ranked, most telling first."""
    reasons = []
    if too_short:
        reasons.append(too_short)
    elif blocks < FEWEST_BLOCKS:
        reasons.append(
            f"{n_periods} target periods hold {blocks} blocks of {length}, fewer than the {FEWEST_BLOCKS} "
            "that it takes to know how much the errors vary"
        )
    if not separable:
        what = "the one pair" if n_pairs == 1 else f"none of {n_pairs} pairs"
        verb = "cannot" if n_pairs == 1 else "can"
        reasons.append(f"{what} of learned models {verb} be told apart")
    return reasons


def _distance(pair: Pair, first: str) -> dict[str, float | None]:
    """Return the difference of the two, second minus first, with its simultaneous interval."""
    sign = -1.0 if pair.a == first else 1.0
    difference = sign * pair.difference + 0.0
    ends = (pair.periods.family_low, pair.periods.family_high)
    if ends[0] is None or ends[1] is None:
        return {"difference": difference}
    low, high = sorted((sign * ends[0], sign * ends[1]))
    half = (high - low) / 2
    times = half / difference if difference > 0 else None
    return {"difference": difference, "low": low, "high": high, "half_width": half, "times": times}


def periods_needed(draws: Draws, first: int, second: int, confidence: float) -> int | None:
    """Return the target periods that would tell two experiments apart with `POWER`, compared alone.

    Parameters
    ----------
    first, second
        Columns of `draws`.

    Returns
    -------
    At least two blocks; None without resamples or a difference, or where a million would not do.

    Notes
    -----
    The standard error falls with the root of the number of periods, and the critical value with it: the
    fewest W for which critical(W) + z(power) standard errors are no more than the difference. A plan, not
    a promise: difference and spread are estimates from the very periods that were too few.
    """
    if draws.reason:
        return None
    difference = abs(float(draws.estimates[first] - draws.estimates[second]))
    error = float((draws.values[:, first] - draws.values[:, second]).std(ddof=1))
    if difference <= 0 or not math.isfinite(error):
        return None
    length, horizon, power = draws.block_length, draws.horizon, float(stats.norm.ppf(POWER))

    def enough(periods: int) -> bool:
        reach = critical_value([(0, 1)], periods, length, confidence, horizon) + power
        return reach * error * math.sqrt(draws.n_periods / periods) <= difference

    low = max(2, 2 * length)
    if enough(low):
        return low
    high = low
    while not enough(high):
        low, high = high, high * 2
        if high > MOST_PERIODS:
            return None
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _sentence(found: Support, first: str, second: str) -> str:
    """Put the finding into words, with the figures that back it."""
    told = f"{found.n_separable} of {found.n_pairs} pairs of learned models can be told apart."
    start = f"These data cannot carry a ranking: {'; '.join(found.reasons)}." if found.reasons else told
    parts = [start, f"The two most accurate, {first} and {second}, differ by {figure(found.difference or 0)}"]
    if found.half_width is not None:
        known = f", known to \N{PLUS-MINUS SIGN}{figure(found.half_width)}"
        parts[-1] += known + (f" ({found.times:,.1f} times as much)" if found.times else "")
    parts[-1] += "."
    needs = []
    if found.periods_needed is not None and found.periods_needed > found.n_periods:
        needs.append(f"about {found.periods_needed:,} target periods instead of {found.n_periods:,}")
    if found.seeds_needed is not None and found.n_seeds and found.seeds_needed > found.n_seeds:
        needs.append(f"{found.seeds_needed:,} seeds instead of {found.n_seeds:,}")
    if needs:
        what = " and ".join(needs)
        parts.append(f"Comparing these two alone, a difference of that size would take {what} to show.")
    return " ".join(parts)
