"""Paired differences by seed: the uncertainty of retraining, and nothing else.

Seed r of one experiment is paired with seed r of the other (same initial random state, same batch order
where the models allow it). A deterministic model has one value, which is paired with every seed of the
other; two deterministic models have no seeds to compare, and no interval is made up for them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from panelbench.compare.metrics import Scores
from panelbench.compare.multiplicity import cannot_pass, holm, seeds_needed, smallest_possible_p
from panelbench.compare.schema import SeedPair
from panelbench.compare.spread import t_interval

Float = NDArray[np.float64]
EXACT_UP_TO = 20
"""Pairs up to which all 2^n sign patterns are counted; beyond, they are drawn."""
DRAWS = 100_000


def pair_seeds(a: Scores, b: Scores, metric: str = "rmse") -> tuple[tuple[int, ...], Float]:
    """Return the common seeds and the (n,) differences a - b on them.

    Two experiments with their own lists of seeds, or with different failed seeds, are paired on the seeds
    that both finished. Empty where both are deterministic.
    """
    if a.deterministic and b.deterministic:
        return (), np.empty(0)
    of_a = dict(zip(a.seeds, a.values[metric].tolist(), strict=True))
    of_b = dict(zip(b.seeds, b.values[metric].tolist(), strict=True))
    if a.deterministic:
        of_a = dict.fromkeys(of_b, next(iter(of_a.values())))
    if b.deterministic:
        of_b = dict.fromkeys(of_a, next(iter(of_b.values())))
    common = tuple(sorted(of_a.keys() & of_b.keys()))
    return common, np.array([of_a[seed] - of_b[seed] for seed in common], dtype=np.float64)


def sign_flip_p(differences: Float, seed: int = 0) -> float:
    """Two-sided sign-flip test of a zero mean (Fisher's randomisation test for pairs).

    Parameters
    ----------
    differences
        (n,) paired differences.
    seed
        Of the sign patterns drawn where n > 20.

    Returns
    -------
    Share of the 2^n sign patterns whose mean is at least as far from zero as the observed one; with drawn
    patterns, (1 + count) / (1 + draws). 1.0 for no differences.
    """
    n = differences.size
    observed = abs(float(differences.sum()))
    # a pattern that equals the observed one up to rounding must count as equal
    bound = observed - 1e-9 * float(np.abs(differences).sum())
    if n <= EXACT_UP_TO:
        sums = np.zeros(1)
        for value in differences:
            sums = np.concatenate([sums + value, sums - value])
        return float(np.mean(np.abs(sums) >= bound))
    rng = np.random.default_rng(seed)
    extreme = 0
    for _ in range(10):
        signs = rng.integers(0, 2, size=(DRAWS // 10, n), dtype=np.int8) * 2.0 - 1.0
        extreme += int((np.abs(signs @ differences) >= bound).sum())
    return (1 + extreme) / (1 + DRAWS)


def paired_t_p(differences: Float) -> float:
    """Two-sided paired t test; with no spread at all, its limit: 0 for a difference, 1 for none."""
    if differences.size < 2 or np.ptp(differences) == 0:
        return 1.0 if differences.size < 2 or differences[0] == 0 else 0.0
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


def compare_seeds(a: Scores, b: Scores, confidence: float, metric: str = "rmse", seed: int = 0) -> SeedPair:
    """Compare two experiments over their common seeds, before any adjustment for a family.

    The difference is a - b. See `SeedPair` for the fields; pass all pairs of one question through
    `adjust` before citing a p value.
    """
    seeds, differences = pair_seeds(a, b, metric)
    n = differences.size
    if a.deterministic and b.deterministic:
        return SeedPair(n=0, reason="both are deterministic: there is no retraining to be uncertain about")
    if n == 0:
        return SeedPair(n=0, reason="no seed finished in both experiments")
    if not np.isfinite(differences).all():
        return SeedPair(n=0, reason="the metric is undefined")
    mean = float(differences.mean())
    if n == 1:
        return SeedPair(
            n=1, seeds=seeds, differences=(mean,), mean=mean, reason="one seed has no spread to judge by"
        )
    low, high = t_interval(differences, confidence)
    sd = float(differences.std(ddof=1))
    return SeedPair(
        n=n,
        seeds=seeds,
        differences=tuple(differences.tolist()),
        mean=mean,
        sd=sd,
        low=low,
        high=high,
        p_t=paired_t_p(differences),
        p_sign=sign_flip_p(differences, seed),
        smallest_p=smallest_possible_p(n),
        seeds_needed=seeds_needed(mean, sd, 1 - confidence),
        reason="the differences are the same for every seed" if np.ptp(differences) == 0 else None,
    )


def adjust(family: Sequence[SeedPair], confidence: float) -> list[SeedPair]:
    """Adjust the p values of one family by Holm and mark what its number of seeds cannot decide.

    Comparisons without a test (both deterministic, one seed) are not part of the family.
    """
    p_t, p_sign = holm([pair.p_t for pair in family]), holm([pair.p_sign for pair in family])
    descriptive = cannot_pass(
        [pair.n if pair.p_sign is not None else None for pair in family], 1 - confidence
    )
    size = sum(pair.p_sign is not None for pair in family)
    return [
        pair.model_copy(update={"p_t_holm": t, "p_sign_holm": sign, "descriptive": weak, "family": size})
        for pair, t, sign, weak in zip(family, p_t, p_sign, descriptive, strict=True)
    ]
