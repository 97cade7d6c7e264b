"""Judge every claim of the declared files and write reports/claims.json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from pathlib import Path

from panelbench.compare.claims import rules
from panelbench.compare.claims.evidence import Evidence, NotMeasurable, read_checks, read_records
from panelbench.compare.claims.kinds import (
    Claim,
    CountClaim,
    DifferenceClaim,
    InvarianceClaim,
    OrderClaim,
    ShareClaim,
    TieClaim,
    UntestableClaim,
    ValueClaim,
)
from panelbench.compare.claims.ledger import Entry, load_ledger
from panelbench.compare.claims.measure import by_seeds, measure, require_same_rows
from panelbench.compare.claims.rules import Judgement
from panelbench.compare.claims.schema import FILE, JudgedClaim, JudgedLedger
from panelbench.compare.contrast import Contrast, contrast
from panelbench.compare.metrics import Scores
from panelbench.compare.outputs import rounded
from panelbench.compare.paired import pair_seeds
from panelbench.compare.runs import Results
from panelbench.config import Settings
from panelbench.files import write_json


def judge(
    settings: Settings, results: Results, scores: Sequence[Scores], root: Path = Path()
) -> JudgedLedger:
    """Judge the claims that params.yaml names, and write reports/claims.json (with no claims: an empty one).

    Parameters
    ----------
    results, scores
        The stored runs and their scores, as `compare` reads them.
    root
        Folder that holds the claims' files, `data` and `reports`.

    Raises
    ------
    InputError
        If a file of claims is absent or malformed. A claim whose experiment is absent or failed is no
        error: it is not testable, and says why.
    """
    read = load_ledger(settings.claims, root)
    entries = read.entries
    evidence = Evidence(
        settings=settings.compare,
        outcomes=results.outcomes,
        scores={one.name: one for one in scores},
        panel=results.panel,
        records=read_records(results.runs, results.outcomes) if entries else {},
        checks=read_checks(root / "reports" / "audit.json"),
        test_start=next((rows.start for rows in results.rows.values()), None),
    )
    judged = tuple(_entry(entry, evidence) for entry in entries)
    ledger = JudgedLedger(
        confidence=settings.compare.confidence,
        unit=results.panel.info.unit,
        files=settings.claims,
        about=read.about,
        counts={name: sum(one.verdict == name for one in judged) for name in rules.VERDICTS},
        claims=judged,
    )
    write_json(root / "reports" / FILE, rounded(ledger.model_dump(mode="json")))
    return ledger


def judge_claim(claim: Claim, evidence: Evidence) -> Judgement:
    """Judge one claim; what cannot be measured is not testable."""
    try:
        return _judge(claim, evidence)
    except NotMeasurable as reason:
        return rules.not_testable(str(reason))


def _with_leaks(found: Judgement, claim: Claim, evidence: Evidence) -> Judgement:
    """Say with every measured figure that it comes from a split that leaks, where one does."""
    leaky = [
        evidence.outcomes[name].label
        for name in claim.subjects
        if name in evidence.outcomes and evidence.outcomes[name].leaks
    ]
    if not leaky or found.verdict == "not_testable":
        return found
    return replace(found, sentence=f"{found.sentence} The split of {' and '.join(leaky)} leaks.")


def _entry(entry: Entry, evidence: Evidence) -> JudgedClaim:
    claim = entry.claim
    found = _with_leaks(judge_claim(claim, evidence), claim, evidence)
    source, metric = claim.measured_as
    subjects = (claim.check,) if isinstance(claim, InvarianceClaim) else claim.subjects
    return JudgedClaim(
        id=claim.id,
        file=entry.file,
        claim=claim.claim,
        source=claim.source,
        kind=claim.kind,
        measure=source,
        metric=metric,
        headline=claim.headline,
        subjects=subjects,
        published=getattr(claim, "published", None),
        tolerance=getattr(claim, "tolerance", None),
        margin=getattr(claim, "margin", None),
        runs=getattr(claim, "runs", None),
        why=claim.why,
        verdict=found.verdict,
        measured=found.measured,
        low=found.low,
        high=found.high,
        interval_of=found.interval_of,
        n=found.n,
        sentence=found.sentence,
    )


@singledispatch
def _judge(claim: Claim, evidence: Evidence) -> Judgement:
    raise NotImplementedError(type(claim).__name__)


@_judge.register(ValueClaim)
@_judge.register(ShareClaim)
def _figure(claim: ValueClaim | ShareClaim, evidence: Evidence) -> Judgement:
    measured = measure(claim.measure, evidence)
    confidence = evidence.settings.confidence
    return rules.value(measured, claim.published, claim.tolerance, claim.runs, confidence, claim.kind)


@_judge.register
def _count(claim: CountClaim, evidence: Evidence) -> Judgement:
    return rules.count(measure(claim.measure, evidence), claim.published)


@_judge.register
def _difference(claim: DifferenceClaim, evidence: Evidence) -> Judgement:
    a, b = evidence.scored(claim.of), evidence.scored(claim.minus)
    require_same_rows(a, b)
    seeds, differences = pair_seeds(a, b, claim.metric)
    if a.deterministic and b.deterministic:
        seeds, differences = (0,), a.values[claim.metric] - b.values[claim.metric]
    if not seeds:
        raise NotMeasurable(f"'{claim.of}' and '{claim.minus}' have no finished seed in common")
    measured = by_seeds(dict(zip(seeds, differences.tolist(), strict=True)), claim.seeds, claim.metric)
    if a.deterministic and b.deterministic:
        measured = replace(measured, by_seed=())
    return rules.value(measured, claim.published, claim.tolerance, claim.runs, evidence.settings.confidence)


@_judge.register
def _order(claim: OrderClaim, evidence: Evidence) -> Judgement:
    contrasts = [_contrast(better, worse, claim.metric, evidence) for better, worse in claim.pairs]
    return rules.order(contrasts, evidence.settings.confidence)


@_judge.register
def _tie(claim: TieClaim, evidence: Evidence) -> Judgement:
    one, other = claim.tie
    return rules.tie(
        _contrast(one, other, claim.metric, evidence), claim.margin, evidence.settings.confidence
    )


@_judge.register
def _invariance(claim: InvarianceClaim, evidence: Evidence) -> Judgement:
    return rules.invariance(evidence.checks.get(claim.check), claim.check, claim.passing_means)


@_judge.register
def _untestable(claim: UntestableClaim, evidence: Evidence) -> Judgement:
    del evidence
    return rules.not_testable(claim.not_testable)


def _contrast(a: str, b: str, metric: str, evidence: Evidence) -> Contrast:
    """Contrast two experiments, called by their labels as a reader knows them."""
    found = contrast(evidence.scored(a), evidence.scored(b), metric, evidence.settings)
    return replace(found, a=evidence.outcomes[a].label, b=evidence.outcomes[b].label)
