"""Measure a figure: from scores, counts, notes, the panel or arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np

from panelbench.compare import panel_facts
from panelbench.compare.claims.arithmetic import evaluate
from panelbench.compare.claims.evidence import Evidence, NotMeasurable
from panelbench.compare.claims.figures import (
    Arithmetic,
    Change,
    Fact,
    Figure,
    Improvement,
    NoteOfRun,
    Parameters,
    RangeOfScores,
    Rows,
    Score,
)
from panelbench.compare.contrast import different_rows, with_seeds
from panelbench.compare.metrics import Scores
from panelbench.compare.paired import pair_seeds
from panelbench.errors import InputError


@dataclass(frozen=True)
class Measured:
    """A figure and what it rests on.

    Attributes
    ----------
    value
        The figure: over the published seeds where the claim names them and they finished, else over all.
    n
        Runs that `value` is the mean of.
    by_seed
        (R,) the figure of every finished seed, which tells how far a retrained one may fall; empty where
        nothing is random about the figure.
    like_for_like
        Whether `value` is over exactly the seeds that the claim names.
    of
        What a count is made of, as text; empty where it is no difference or multiple.
    """

    value: float
    n: int = 1
    by_seed: tuple[float, ...] = ()
    like_for_like: bool = False
    of: str = ""


@singledispatch
def measure(figure: Figure, evidence: Evidence) -> Measured:
    """Measure one figure.

    Raises
    ------
    NotMeasurable
        With the reason, where the evidence does not hold it.
    """
    raise NotImplementedError(type(figure).__name__)


@measure.register
def _score(figure: Score, evidence: Evidence) -> Measured:
    scores = evidence.scored(figure.experiment)
    values = scores.values[figure.score]
    if scores.deterministic:
        return Measured(_finite(values[0], figure.score))
    return by_seeds(dict(zip(scores.seeds, values.tolist(), strict=True)), figure.seeds, figure.score)


@measure.register
def _range(figure: RangeOfScores, evidence: Evidence) -> Measured:
    scores = evidence.scored(figure.experiment)
    if scores.deterministic or len(scores.seeds) < 2:
        raise NotMeasurable(f"'{figure.experiment}' has fewer than two seeds to range over")
    return Measured(_finite(np.ptp(scores.values[figure.range]), figure.range), len(scores.seeds))


@measure.register
def _change(figure: Change, evidence: Evidence) -> Measured:
    one, base = evidence.scored(figure.change), evidence.scored(figure.relative_to)
    require_same_rows(one, base)
    if one.deterministic and base.deterministic:
        return Measured(_finite(one.values[figure.metric][0] / base.values[figure.metric][0] - 1, "ratio"))
    return by_seeds(_relative(one, base, figure.metric), figure.seeds, figure.metric)


@measure.register
def _improvement(figure: Improvement, evidence: Evidence) -> Measured:
    change = Change(
        change=figure.improvement,
        relative_to=figure.relative_to,
        metric=figure.metric,
        seeds=figure.seeds,
    )
    found = measure(change, evidence)
    return replace(found, value=0.0 - found.value, by_seed=tuple(0.0 - one for one in found.by_seed))


def _relative(one: Scores, base: Scores, metric: str) -> dict[int, float]:
    """Return (one - base) / base by common seed."""
    seeds, differences = pair_seeds(one, base, metric)
    if not seeds:
        raise NotMeasurable(f"'{one.name}' and '{base.name}' have no finished seed in common")
    chosen = with_seeds(base, seeds)
    assert chosen is not None  # noqa: S101 - the seeds are common ones
    shares = (
        differences / chosen.values[metric]
    )  # one value stands for every seed where base is deterministic
    return dict(zip(seeds, shares.tolist(), strict=True))


@measure.register
def _parameters(figure: Parameters, evidence: Evidence) -> Measured:
    counts = []
    for name in figure.subjects:
        evidence.scored(name)
        count = evidence.outcomes[name].n_parameters
        if count is None:
            raise NotMeasurable(f"the model of '{name}' has no meaningful count of parameters")
        counts.append(count)
    if len(counts) == 1:
        return Measured(float(counts[0]))
    value = counts[0] / counts[1] if figure.over is not None else float(counts[0] - counts[1])
    return Measured(value, of=f"{counts[0]:,} against {counts[1]:,}")


@measure.register
def _rows(figure: Rows, evidence: Evidence) -> Measured:
    key = f"n_{figure.rows}"
    records = evidence.finished_records(figure.experiment).values()
    return Measured(_only((record.get(key) for record in records), key))


@measure.register
def _note(figure: NoteOfRun, evidence: Evidence) -> Measured:
    records = evidence.finished_records(figure.experiment)
    values = {seed: record.get("notes", {}).get(figure.note) for seed, record in records.items()}
    known = sorted({key for record in records.values() for key in record.get("notes", {})})
    wrong = [value for value in values.values() if not isinstance(value, (int, float))]
    if wrong:
        raise NotMeasurable(
            f"the runs of '{figure.experiment}' have no number '{figure.note}' among their notes "
            f"({', '.join(known) or 'there are none'})"
        )
    numbers = {seed: float(value) for seed, value in values.items() if value is not None}
    if evidence.scored(figure.experiment).deterministic:
        return Measured(next(iter(numbers.values())))
    return by_seeds(numbers, figure.seeds, figure.note)


@measure.register
def _fact(figure: Fact, evidence: Evidence) -> Measured:
    panel = evidence.panel
    try:
        match figure.fact:
            case "between_series_share":
                value = panel_facts.between_series_share(panel)
            case "autocorrelation":
                value = panel_facts.mean_autocorrelation(panel, int(figure.lag or 0))
            case "lead_correlation":
                value = panel_facts.lead_correlation(panel, str(figure.covariate), int(figure.lead or 0))
            case "largest_lead_correlation":
                leads = figure.leads or (0,)
                value = panel_facts.largest_lead_correlation(panel, str(figure.covariate), leads)
            case "series":
                value = float(panel.n_series)
            case "steps":
                value = float(panel.n_steps)
            case "mean_of_test_block":
                if evidence.test_start is None:
                    raise NotMeasurable("no run finished, so no test block is known")
                value = float(panel.y[:, evidence.test_start :].mean())
    except InputError as error:
        raise NotMeasurable(str(error).removesuffix(".")) from error
    return Measured(_finite(value, figure.fact))


@measure.register
def _arithmetic(figure: Arithmetic, evidence: Evidence) -> Measured:
    del evidence
    return Measured(evaluate(figure.arithmetic))


def require_same_rows(one: Scores, other: Scores) -> None:
    """Refuse a figure that is made of errors over different rows.

    Raises
    ------
    NotMeasurable
        With both horizons.
    """
    reason = different_rows(one, other)
    if reason:
        raise NotMeasurable(reason)


def by_seeds(values: dict[int, float], seeds: tuple[int, ...] | None, what: str) -> Measured:
    """Return a figure over the named seeds where all of them finished, else over every seed there is."""
    for value in values.values():
        _finite(value, what)
    chosen = [seed for seed in seeds or () if seed in values]
    like_for_like = seeds is not None and len(chosen) == len(seeds)
    used = [values[seed] for seed in chosen] if like_for_like else list(values.values())
    return Measured(float(np.mean(used)), len(used), tuple(values.values()), like_for_like)


def _finite(value: float, what: str) -> float:
    if not np.isfinite(value):
        raise NotMeasurable(f"{what} is undefined here")
    return float(value)


def _only(values: Iterable[object], what: str) -> float:
    """Return the one value that all records share."""
    found = set(values)
    if len(found) != 1 or not isinstance(value := next(iter(found)), (int, float)):
        raise NotMeasurable(f"the runs do not record one {what}")
    return float(value)
