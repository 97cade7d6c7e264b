"""Families of pairs: everything known about two experiments, adjusted over all pairs of one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from panelbench.compare import diebold, paired
from panelbench.compare.blocks import Draws, difference_intervals
from panelbench.compare.groups import letters, separate
from panelbench.compare.metrics import Scores
from panelbench.compare.robust import improvement
from panelbench.compare.schema import Ablation, Interval, Pair
from panelbench.config.settings import AblationSettings, CompareSettings


class Comparer:
    """Compares finished experiments in families.

    Parameters
    ----------
    scores
        Finished experiments, best first.
    draws
        Their RMSE under resampled target periods, columns in the same order.
    horizon
        Steps ahead, for the Diebold-Mariano test.
    settings
        Confidence, resamples and seed.
    """

    def __init__(
        self, scores: Sequence[Scores], draws: Draws, horizon: int, settings: CompareSettings
    ) -> None:
        self.scores: Mapping[str, Scores] = {one.name: one for one in scores}
        self.place = {one.name: place for place, one in enumerate(scores)}
        self.draws = draws
        self.horizon = horizon
        self.settings = settings

    def all_pairs(self) -> list[Pair]:
        """Compare every two experiments, the better-placed one first."""
        return self.family(list(combinations(self.scores, 2)))

    def against(self, reference: str, chosen_by_data: Sequence[Pair] = ()) -> list[Pair]:
        """Compare every other experiment with the reference; above zero is worse than the reference.

        Parameters
        ----------
        chosen_by_data
            All pairs, where the reference is the best on the test block. Any other experiment could have come
            out best, so every pair was at stake: the result is theirs, adjusted over all of them. Over
            the k - 1 shown alone, one in eight test blocks of equal models would show a false difference
            at a nominal one in twenty (benchmarks/false_positives.py). Left out: the reference was named
            beforehand, and the adjustment is over these k - 1.
        """
        if not chosen_by_data:
            return self.family([(name, reference) for name in self.scores if name != reference])
        return [
            pair if pair.b == reference else turned(pair)
            for pair in chosen_by_data
            if reference in (pair.a, pair.b)
        ]

    def ablation(self, ablation: AblationSettings) -> Ablation:
        """Compare the variants of one question with its baseline; above zero is worse than the baseline.

        The comparisons with the baseline are one family; all pairs among baseline and variants, which say
        which of several variants differ from each other, are another.
        """
        named = (ablation.baseline, *ablation.variants)
        missing = tuple(name for name in named if name not in self.scores)
        finished = [name for name in ablation.variants if name in self.scores]
        against = [] if ablation.baseline in missing else [(name, ablation.baseline) for name in finished]
        asked = [name for name in self.scores if name in named]
        pairs = self.family(list(combinations(asked, 2)))
        return Ablation(
            baseline=ablation.baseline,
            variants=tuple(self.family(against)),
            pairs=tuple(pairs),
            groups=letters(asked, [(pair.a, pair.b) for pair in pairs if pair.separable]),
            missing=missing,
        )

    def family(self, names: Sequence[tuple[str, str]]) -> list[Pair]:
        """Compare the given pairs and adjust over exactly these."""
        confidence = self.settings.confidence
        both = [(self.scores[a], self.scores[b]) for a, b in names]
        seeds = paired.adjust(
            [paired.compare_seeds(a, b, confidence, seed=self.settings.seed) for a, b in both], confidence
        )
        places = [(self.place[a], self.place[b]) for a, b in names]
        periods = difference_intervals(self.draws, places, confidence)
        tests = diebold.adjust([diebold.diebold_mariano(a.loss, b.loss, self.horizon) for a, b in both])
        result = []
        for (a, b), by_seed, by_period, test in zip(both, seeds, periods, tests, strict=True):
            needs_seeds = not (a.deterministic and b.deterministic)
            separable, better, why = separate(a.name, b.name, by_seed, by_period, needs_seeds, 1 - confidence)
            result.append(
                Pair(
                    a=a.name,
                    b=b.name,
                    difference=float(a.rmse.mean() - b.rmse.mean()),
                    seeds=by_seed,
                    periods=by_period,
                    dm=test,
                    improvement=improvement(a, b, confidence, self.settings.resamples, self.settings.seed),
                    separable=separable,
                    better=better,
                    why=why,
                )
            )
        return result


def turned(pair: Pair) -> Pair:
    """Return the same comparison with the other experiment named first."""
    seeds, periods, dm = pair.seeds, pair.periods, pair.dm
    return pair.model_copy(
        update={
            "a": pair.b,
            "b": pair.a,
            "difference": -pair.difference,
            "seeds": seeds.model_copy(
                update={
                    "differences": tuple(-one for one in seeds.differences),
                    "mean": _minus(seeds.mean),
                    "low": _minus(seeds.high),
                    "high": _minus(seeds.low),
                }
            ),
            "periods": periods.model_copy(
                update={
                    "estimate": _minus(periods.estimate),
                    "low": _minus(periods.high),
                    "high": _minus(periods.low),
                    "family_low": _minus(periods.family_high),
                    "family_high": _minus(periods.family_low),
                }
            ),
            "dm": dm.model_copy(update={"statistic": _minus(dm.statistic)}),
            "improvement": Interval(
                estimate=_other(pair.improvement.estimate),
                low=_other(pair.improvement.high),
                high=_other(pair.improvement.low),
                reason=pair.improvement.reason,
            ),
        }
    )


def _minus(value: float | None) -> float | None:
    return None if value is None else 0.0 - value  # not -0.0


def _other(probability: float | None) -> float | None:
    return None if probability is None else 1 - probability
