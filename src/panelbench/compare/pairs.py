"""Families of pairs: everything known about two experiments, adjusted over all pairs of one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from panelbench.compare import diebold, paired
from panelbench.compare.blocks import Draws, difference_intervals
from panelbench.compare.groups import separate
from panelbench.compare.metrics import Scores
from panelbench.compare.robust import improvement
from panelbench.compare.schema import Ablation, Pair
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

    def against(self, reference: str) -> list[Pair]:
        """Compare every other experiment with the reference; above zero is worse than the reference."""
        return self.family([(name, reference) for name in self.scores if name != reference])

    def ablation(self, ablation: AblationSettings) -> Ablation:
        """Compare the variants of one question with its baseline; above zero is worse than the baseline."""
        named = (ablation.baseline, *ablation.variants)
        missing = tuple(name for name in named if name not in self.scores)
        finished = [name for name in ablation.variants if name in self.scores]
        pairs = [] if ablation.baseline in missing else [(name, ablation.baseline) for name in finished]
        return Ablation(baseline=ablation.baseline, variants=tuple(self.family(pairs)), missing=missing)

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
