"""Which verdicts survive a change of protocol: every verdict under every protocol, and ranks of the roles.

A verdict *holds* under a protocol if the interval of the paired difference over seeds excludes zero on the
claimed side (for a tie: lies inside the margin); it is *reversed* if it excludes zero on the other side (for
a tie: lies outside the margin), *not separable* if it does neither, and *not testable* where a role has no
finished run. The rules are those of the claims, so the two can be read together.

Protocols differ in one thing, so a verdict that flips names what it hangs on. Nothing is adjusted for the
number of protocols: each cell stands alone, and a single surprising one among many is weak evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from panelbench.compare import ranks
from panelbench.compare.claims import rules
from panelbench.compare.claims.rules import Judgement
from panelbench.compare.contrast import Contrast, contrast, period_interval, with_seeds
from panelbench.compare.metrics import Scores
from panelbench.compare.outputs import rounded
from panelbench.compare.robustness_schema import (
    FILE,
    Cell,
    JudgedVerdict,
    Outcome,
    Protocol,
    Robustness,
    RoleScore,
)
from panelbench.compare.runs import Results
from panelbench.compare.spread import spread
from panelbench.config import Settings
from panelbench.config.robustness import ProtocolSettings, VerdictSettings
from panelbench.config.settings import CompareSettings
from panelbench.files import write_json

OUTCOMES: Mapping[rules.Verdict, Outcome] = {
    "reproduced": "holds",
    "contradicted": "reversed",
    "within_spread": "not_separable",
    "not_testable": "not_testable",
}


def robustness(
    settings: Settings, results: Results, scores: Sequence[Scores], root: Path = Path()
) -> Robustness:
    """Look at every verdict under every protocol, and write reports/robustness.json.

    Parameters
    ----------
    results, scores
        The stored runs and their scores, as `compare` reads them.
    root
        Folder that holds `reports`.
    """
    asked, chosen = settings.robustness, settings.compare
    by_name = {one.name: one for one in scores if not one.leaks}
    leaky = {one.name for one in scores if one.leaks}
    labels = {name: outcome.label for name, outcome in results.outcomes.items()}
    protocols: dict[str, Protocol] = {}
    played: dict[str, dict[str, Scores | None]] = {}
    for name, protocol in asked.protocols.items():
        cast = asked.cast(name)
        played[name] = {
            role: with_seeds(by_name[experiment], protocol.seeds) if experiment in by_name else None
            for role, experiment in cast.items()
        }
        protocols[name] = _protocol(protocol, cast, played[name], labels, leaky, chosen)
    _mark_changes(protocols)
    found = Robustness(
        baseline=next(iter(protocols), None),
        confidence=chosen.confidence,
        unit=results.panel.info.unit,
        roles=asked.roles,
        protocols=protocols,
        verdicts={
            name: _verdict(verdict, asked.protocols, played, chosen)
            for name, verdict in asked.verdicts.items()
        },
    )
    write_json(root / "reports" / FILE, rounded(found.model_dump(mode="json")))
    return found


def _protocol(
    protocol: ProtocolSettings,
    cast: Mapping[str, str],
    played: Mapping[str, Scores | None],
    labels: Mapping[str, str],
    leaky: Collection[str],
    settings: CompareSettings,
) -> Protocol:
    """Score the roles and rank them; one whose split leaks has no score here."""
    there = {role: one for role, one in played.items() if one is not None}
    means = {role: float(one.values[protocol.metric].mean()) for role, one in there.items()}
    placed = ranks.ranks(there, protocol.metric, settings)
    scored = {}
    for role, experiment in cast.items():
        one = played[role]
        label = labels[experiment]
        if one is None:
            reason = "its split leaks" if experiment in leaky else "no seed of it finished"
            scored[role] = RoleScore(experiment=experiment, label=label, reason=reason)
            continue
        over = spread(one.values[protocol.metric], settings.confidence, one.deterministic)
        rank = placed.get(role)
        scored[role] = RoleScore(
            experiment=experiment,
            label=label,
            n=over.n,
            mean=means[role] if np.isfinite(means[role]) else None,
            sd=over.sd,
            low=over.low,
            high=over.high,
            rank=rank.rank if rank else None,
            rank_low=rank.low if rank else None,
            rank_high=rank.high if rank else None,
            reason=None if rank else f"its {protocol.metric} is undefined",
        )
    return Protocol(title=protocol.title, metric=protocol.metric, seeds=protocol.seeds, scores=scored)


def _mark_changes(protocols: dict[str, Protocol]) -> None:
    """Fill in, for every protocol, the roles that another experiment plays than in the baseline."""
    if not protocols:
        return
    baseline = next(iter(protocols.values()))
    for name, protocol in protocols.items():
        changed = tuple(
            role
            for role, score in protocol.scores.items()
            if score.experiment != baseline.scores[role].experiment
        )
        protocols[name] = protocol.model_copy(update={"changed": changed})


def _verdict(
    verdict: VerdictSettings,
    protocols: Mapping[str, ProtocolSettings],
    played: Mapping[str, Mapping[str, Scores | None]],
    settings: CompareSettings,
) -> JudgedVerdict:
    cells = {name: _cell(verdict, protocol, played[name], settings) for name, protocol in protocols.items()}
    counts = {
        str(outcome): sum(cell.outcome == outcome for cell in cells.values()) for outcome in OUTCOMES.values()
    }
    return JudgedVerdict(
        title=verdict.title,
        roles=verdict.roles,
        margin=verdict.margin,
        cells=cells,
        counts=counts,
        flipped_by=tuple(name for name, cell in cells.items() if cell.outcome == "reversed"),
        sentence=_sentence(verdict, protocols, cells, counts),
    )


def _cell(
    verdict: VerdictSettings,
    protocol: ProtocolSettings,
    played: Mapping[str, Scores | None],
    settings: CompareSettings,
) -> Cell:
    """Judge a verdict under one protocol."""
    a, b = (played[role] for role in verdict.roles)
    if a is None or b is None:
        missing = ", ".join(role for role in verdict.roles if played[role] is None)
        return Cell(outcome="not_testable", sentence=f"Not testable: no finished run of {missing}.")
    if a.name == b.name:
        return Cell(outcome="not_testable", sentence=f"Not testable: '{a.name}' plays both roles.")
    one = contrast(a, b, protocol.metric, settings)
    found = _judged(verdict, one, settings.confidence)
    weeks = period_interval(a, b, settings) if protocol.metric == "rmse" else None
    return Cell(
        outcome=OUTCOMES[found.verdict],
        difference=one.estimate if np.isfinite(one.estimate) else None,
        share=one.estimate / one.scale if one.scale and np.isfinite(one.estimate) else None,
        low=found.low,
        high=found.high,
        over=one.over,
        n=one.n,
        period_low=weeks[0] if weeks else None,
        period_high=weeks[1] if weeks else None,
        sentence=found.sentence,
    )


def _judged(verdict: VerdictSettings, one: Contrast, confidence: float) -> Judgement:
    if verdict.margin is not None:
        return rules.tie(one, verdict.margin, confidence)
    return rules.order([one], confidence)


def _sentence(
    verdict: VerdictSettings,
    protocols: Mapping[str, ProtocolSettings],
    cells: Mapping[str, Cell],
    counts: Mapping[str, int],
) -> str:
    """Say in how many protocols a verdict holds and what turns it round."""
    testable = len(cells) - counts["not_testable"]
    if not testable:
        return "No protocol could be tested."
    turned = [protocols[name].title for name, cell in cells.items() if cell.outcome == "reversed"]
    start = f"Holds in {counts['holds']} of {testable} protocols"
    if turned:
        return f"{start}; turned round by: {'; '.join(turned)}."
    if counts["holds"] == testable:
        return f"{start}: nothing that was changed turns it round."
    if not counts["holds"]:
        return f"{start}: the runs never tell the two apart." if verdict.margin is None else f"{start}."
    return f"{start}; in the others the runs cannot tell, and none turns it round."
