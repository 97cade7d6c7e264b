"""Compare the declared experiments from their stored forecasts, and write reports/comparison.json.

`compare` reads `data/panel.*` and `data/runs/<experiment>/{runs.json, predictions.parquet}` and writes the
files of `outputs.FILES`. What comparison.json holds is written down in `schema`: in brief

- `test`, `method`, `provenance`, `notes`: the basis of every figure;
- `order`, `experiments[name]`: metrics over seeds (`metrics[m].mean/sd/low/high`), every seed's score
  (`scores[m]` in the order of `seeds`), interval over target periods (`periods`), group letters;
- `pairs`, `versus_reference`, `ablations[title].variants`: one `Pair` each with `seeds`, `periods`, `dm`,
  `improvement`, `separable`, `better`, `why`;
- `confidence_set`, `failures`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from panelbench.compare import facts, slices
from panelbench.compare.blocks import Draws, draw_rmse, rmse_intervals
from panelbench.compare.claims.judge import judge
from panelbench.compare.groups import letters
from panelbench.compare.mcs import confidence_set
from panelbench.compare.metrics import DEFINITIONS, Scores, score
from panelbench.compare.outputs import write_all
from panelbench.compare.pairs import Comparer
from panelbench.compare.robust import iqm_interval
from panelbench.compare.robustness import robustness
from panelbench.compare.runs import Outcome, Results, load_results
from panelbench.compare.schema import Comparison, Experiment, Failure, Interval, Spread
from panelbench.compare.spread import spread
from panelbench.config import Settings
from panelbench.config.settings import CompareSettings
from panelbench.errors import InputError
from panelbench.files import read_json


def compare(settings: Settings, root: Path = Path()) -> Comparison:
    """Compare the experiments that params.yaml declares, and write everything under `root`/reports.

    Parameters
    ----------
    settings
        `experiments`, `seeds`, `ablations`, `compare`, `claims` and `robustness` are read.
    root
        Folder that holds `data`, `reports` and the files of claims.

    Raises
    ------
    InputError
        If runs are missing, malformed or must not be compared; nothing is written then.
    """
    results = load_results(settings, root)
    scores = score_all(results)
    comparison = build(settings, results, scores)
    judge(settings, results, scores, root)
    robustness(settings, results, scores, root)
    rows = results.rows
    write_all(
        root / "reports",
        comparison,
        list(results.outcomes.values()),
        slices.by_series(scores, rows) if rows else slices.NO_SERIES,
        slices.by_period(scores, rows) if rows else slices.NO_PERIODS,
    )
    return comparison


def load_comparison(path: Path = Path("reports/comparison.json")) -> Comparison:
    """Read comparison.json back as it was written.

    Raises
    ------
    InputError
        If the file is absent or was not written by this version.
    """
    content = read_json(path)
    try:
        return Comparison.model_validate_json(json.dumps(content))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{path} is not a comparison of this version ({place}: {first['msg']}). Run `dvc repro compare`."
        ) from error


def score_all(results: Results) -> list[Scores]:
    """Score every experiment that has a finished seed, lowest mean RMSE first (ties by name)."""
    scores = []
    for name, outcome in results.outcomes.items():
        if outcome.seeds:
            rows, y_hat = results.forecasts(name)
            past = results.panel.y[:, : rows.start]
            scores.append(score(name, outcome.seeds, outcome.deterministic, rows, y_hat, past))
    return sorted(scores, key=lambda one: (float(one.rmse.mean()), one.name))


def build(settings: Settings, results: Results, scores: list[Scores]) -> Comparison:
    """Put the whole comparison together from scored experiments, without writing anything."""
    chosen, outcomes = settings.compare, results.outcomes
    horizon = results.rows.horizon if results.rows else 1
    draws = draw_rmse(scores, chosen.block_length, chosen.resamples, chosen.seed)
    comparer = Comparer(scores, draws, horizon, chosen)
    reference, reference_rule = choose_reference(chosen.reference, scores)
    pairs = comparer.all_pairs()
    finished = [one.name for one in scores]
    groups = letters(finished, [(pair.a, pair.b) for pair in pairs if pair.separable])
    experiments = _experiments(results, scores, draws, groups, chosen)
    tested = facts.held_out(results.panel, results.rows)
    origin = facts.provenance(outcomes.values(), results.panel.info.sha256)
    return Comparison(
        test=tested,
        method=facts.method(chosen, len(pairs), max(0, len(scores) - 1)),
        reference=reference,
        reference_rule=reference_rule,
        order=(*finished, *sorted(name for name in outcomes if name not in finished)),
        experiments=experiments,
        pairs=tuple(pairs),
        versus_reference=tuple(comparer.against(reference)) if reference else (),
        ablations={title: comparer.ablation(one) for title, one in sorted(settings.ablations.items())},
        confidence_set=confidence_set(
            finished,
            np.stack([one.loss for one in scores], axis=1) if scores else np.empty((0, 0)),
            1 - chosen.confidence,
            chosen.block_length,
            chosen.resamples,
            chosen.seed,
        ),
        failures=tuple(
            Failure(experiment=name, seed=record.seed, error=record.error or "no message was recorded")
            for name, outcome in outcomes.items()
            for record in outcome.failed
        ),
        provenance=origin,
        notes=tuple(facts.notes(list(outcomes.values()), tested, origin, chosen, pairs)),
    )


def choose_reference(asked: str, scores: list[Scores]) -> tuple[str | None, str]:
    """Return the experiment that the others are compared to, and how it was chosen."""
    if not scores:
        return None, "No experiment has a finished seed."
    best = scores[0].name
    if asked == "auto":
        return best, "The lowest mean RMSE on the same test block, which flatters it a little."
    if asked not in {one.name for one in scores}:
        return best, f"'{asked}' was asked for and has no finished seed; the lowest mean RMSE stands in."
    return asked, "Named in params.yaml."


def _experiments(
    results: Results, scores: list[Scores], draws: Draws, groups: dict[str, str], settings: CompareSettings
) -> dict[str, Experiment]:
    intervals = dict(
        zip((one.name for one in scores), rmse_intervals(draws, settings.confidence), strict=True)
    )
    by_name = {one.name: one for one in scores}
    return {
        name: _finished(outcome, by_name[name], intervals[name], groups[name], results.panel.series, settings)
        if name in by_name
        else _unfinished(outcome)
        for name, outcome in results.outcomes.items()
    }


def _finished(
    outcome: Outcome,
    scores: Scores,
    periods: Interval,
    group: str,
    names: tuple[str, ...],
    settings: CompareSettings,
) -> Experiment:
    top = slices.top_series(scores, names)
    values = {metric: scores.values[metric] for metric in DEFINITIONS}
    return Experiment(
        label=outcome.label,
        model=outcome.model,
        deterministic=outcome.deterministic,
        n_ok=len(outcome.seeds),
        n_failed=len(outcome.failed),
        seeds=outcome.seeds,
        n_parameters=outcome.n_parameters,
        group=group,
        metrics={
            metric: spread(value, settings.confidence, outcome.deterministic)
            for metric, value in values.items()
        },
        scores={
            metric: tuple(one if np.isfinite(one) else None for one in value.tolist())
            for metric, value in values.items()
        },
        periods=periods,
        iqm=iqm_interval(scores, settings.confidence, settings.resamples, settings.seed),
        top_series=top,
        top_share=sum(one.share for one in top) if top else None,
        scaled_quartiles=slices.scaled_quartiles(scores),
        rmse_by_step=tuple(scores.rmse_by_step.mean(axis=0).tolist()),
    )


def _unfinished(outcome: Outcome) -> Experiment:
    nothing = Interval(estimate=None, reason="no seed finished")
    return Experiment(
        label=outcome.label,
        model=outcome.model,
        deterministic=outcome.deterministic,
        n_ok=0,
        n_failed=len(outcome.failed),
        seeds=(),
        n_parameters=outcome.n_parameters,
        group="",
        metrics={metric: Spread(n=0) for metric in DEFINITIONS},
        scores=dict.fromkeys(DEFINITIONS, ()),
        periods=nothing,
        iqm=nothing,
        top_series=(),
        top_share=None,
        scaled_quartiles=(),
        rmse_by_step=(),
    )
