"""Compare the declared experiments from their stored forecasts, and write reports/comparison.json.

`compare` reads `data/panel.*` and `data/runs/<experiment>/{runs.json, predictions.parquet}` and writes the
files of `outputs.FILES`. What comparison.json holds is written down in `schema`: in brief

- `task`, `test`, `method`, `provenance`, `notes`: the basis of every figure;
- `order`, `experiments[name]`: metrics over seeds (`metrics[m].mean/sd/low/high`), every seed's score
  (`scores[m]` in the order of `seeds`), errors by step, interval over target periods, group letters;
- `pairs`, `versus_reference`, `ablations[title].variants`: one `Pair` each with `seeds`, `periods`, `dm`,
  `improvement`, `separable`, `better`, `why`;
- `confidence_set`, `support`, `failures`; `others`: the same for each other task.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from panelbench.compare import entries, facts
from panelbench.compare.blocks import block_for, draw_rmse, rmse_intervals
from panelbench.compare.claims.judge import judge
from panelbench.compare.groups import letters
from panelbench.compare.mcs import confidence_set
from panelbench.compare.metrics import Scores, score
from panelbench.compare.outputs import write_all
from panelbench.compare.pairs import Comparer
from panelbench.compare.robustness import robustness
from panelbench.compare.runs import Results, load_results
from panelbench.compare.schema import Ablation, Comparison, Experiment, Failure
from panelbench.compare.support import support
from panelbench.compare.tasks import Group, tasks
from panelbench.config import Settings
from panelbench.config.settings import CompareSettings


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
    write_all(root / "reports", comparison, list(results.outcomes.values()), scores, results.rows)
    return comparison


def score_all(results: Results) -> list[Scores]:
    """Score every experiment that has a finished seed, lowest mean RMSE first (ties by name)."""
    scores = []
    for name, outcome in results.outcomes.items():
        if outcome.seeds:
            rows, y_hat = results.forecasts(name)
            past = results.panel.y[:, : rows.start]
            fixed, leaks = outcome.deterministic, outcome.leaks
            scores.append(score(name, outcome.seeds, fixed, rows, y_hat, past, leaks))
    return sorted(scores, key=lambda one: (float(one.rmse.mean()), one.name))


def build(settings: Settings, results: Results, scores: Sequence[Scores]) -> Comparison:
    """Put the whole comparison together from scored experiments, without writing anything.

    Each task is compared by itself; the main one carries the entries and failures of all.
    """
    parts = [
        _task(settings, results, group, [one for one in scores if one.name in group.names])
        for group in tasks(results.outcomes, int(settings.defaults.get("horizon", 1)))
    ]
    main, others = parts[0], tuple(parts[1:])
    every = {name: entry for part in parts for name, entry in part.experiments.items()}
    return main.model_copy(
        update={
            "experiments": {name: every[name] for name in results.outcomes},
            "failures": _failures(results, results.outcomes),
            "provenance": facts.provenance(results.outcomes.values(), results.panel.info.sha256),
            "others": others,
        }
    )


def _task(settings: Settings, results: Results, group: Group, scored: Sequence[Scores]) -> Comparison:
    """Compare the experiments of one task; those whose split leaks are scored and take no part."""
    chosen, horizon = settings.compare, group.task.horizon
    outcomes = {name: results.outcomes[name] for name in group.names}
    rows = results.rows.get(horizon)
    sound = [one for one in scored if not one.leaks]
    length = block_for(chosen.block_length, horizon)
    draws = draw_rmse(sound, length, chosen.resamples, chosen.seed)
    comparer = Comparer(sound, draws, horizon, chosen)
    pairs = comparer.all_pairs()
    reference, rule, by_data = choose_reference(chosen.reference, sound, outcomes)
    names = [one.name for one in sound]
    groups = letters(names, [(pair.a, pair.b) for pair in pairs if pair.separable])
    tested = facts.held_out(results.panel, rows)
    origin = facts.provenance(outcomes.values(), results.panel.info.sha256)
    leaky = [one.name for one in scored if one.leaks]
    unfinished = sorted(name for name in outcomes if name not in {one.name for one in scored})
    losses = np.stack([one.loss for one in sound], axis=1) if sound else np.empty((0, 0))
    versus = comparer.against(reference, pairs if by_data else ()) if reference else []
    return Comparison(
        task=group.task,
        test=tested,
        method=facts.method(chosen, len(pairs), max(0, len(sound) - 1), length, by_data),
        reference=reference,
        reference_rule=rule,
        order=(*names, *unfinished),
        leaky=tuple(leaky),
        experiments=_entries(results, group, scored, groups, length, chosen),
        pairs=tuple(pairs),
        versus_reference=tuple(versus),
        ablations=_ablations(settings, group, comparer),
        confidence_set=confidence_set(names, losses, 1 - chosen.confidence, length, horizon),
        support=support(sound, outcomes, pairs, draws, chosen.confidence, tested.n_periods, length),
        failures=_failures(results, group.names),
        provenance=origin,
        notes=tuple(facts.notes(list(outcomes.values()), tested, origin, length, pairs)),
    )


def choose_reference(
    asked: str, scores: Sequence[Scores], declared: Collection[str]
) -> tuple[str | None, str, bool]:
    """Return what the others of a task are compared to, how it was chosen, and whether by the data.

    Parameters
    ----------
    asked
        `compare.reference`; one of another task leaves this task to its best.
    scores
        The task's finished experiments that may be it, lowest error first.
    declared
        The task's experiments.
    """
    if not scores:
        return None, "No experiment has a finished seed.", False
    best = scores[0].name
    if asked == "auto" or asked not in declared:
        return best, "The lowest mean RMSE on the same test block, which flatters it a little.", True
    if asked not in {one.name for one in scores}:
        rule = f"'{asked}' was asked for and has no finished seed; the lowest mean RMSE stands in."
        return best, rule, True
    return asked, "Named in params.yaml.", False


def _ablations(settings: Settings, group: Group, comparer: Comparer) -> dict[str, Ablation]:
    """Answer the questions about this task's experiments; a question never spans tasks (`models.tasks`)."""
    return {
        title: comparer.ablation(ablation)
        for title, ablation in sorted(settings.ablations.items())
        if ablation.baseline in group.names
    }


def _failures(results: Results, names: Iterable[str]) -> tuple[Failure, ...]:
    return tuple(
        Failure(experiment=name, seed=record.seed, error=record.error or "no message was recorded")
        for name in names
        for record in results.outcomes[name].failed
    )


def _entries(
    results: Results,
    group: Group,
    scored: Sequence[Scores],
    groups: Mapping[str, str],
    block_length: int,
    settings: CompareSettings,
) -> dict[str, Experiment]:
    draws = draw_rmse(scored, block_length, settings.resamples, settings.seed)
    intervals = rmse_intervals(draws, settings.confidence)
    done = {
        one.name: entries.finished(
            results.outcomes[one.name],
            one,
            interval,
            groups.get(one.name, ""),
            results.panel.series,
            settings,
        )
        for one, interval in zip(scored, intervals, strict=True)
    }
    return {name: done.get(name) or entries.unfinished(results.outcomes[name]) for name in group.names}
