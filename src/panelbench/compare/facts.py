"""What a comparison says about its own basis: the test block, where the runs came from, and its limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from panelbench.compare.blocks import too_short
from panelbench.compare.groups import RULE
from panelbench.compare.metrics import DEFINITIONS, naive_scale
from panelbench.compare.multiplicity import POWER, seeds_to_pass
from panelbench.compare.rows import Rows
from panelbench.compare.runs import Outcome, RunRecord, period_names
from panelbench.compare.schema import HeldOut, Method, Pair, Provenance
from panelbench.config.settings import CompareSettings
from panelbench.panel.panel import Panel


def held_out(panel: Panel, rows: Rows | None) -> HeldOut:
    """Describe the test block; empty where no seed of any experiment finished."""
    info = panel.info
    names = period_names(rows.dates) if rows else [""]
    return HeldOut(
        title=info.title,
        source=info.source,
        target_name=info.target_name,
        unit=info.unit,
        frequency=info.frequency,
        n_series=int(np.unique(rows.series).size) if rows else 0,
        n_periods=rows.dates.size if rows else 0,
        n_rows=rows.n if rows else 0,
        horizon=rows.horizon if rows else 0,
        first=names[0],
        last=names[-1],
        panel_sha256=info.sha256,
        n_scaled_series=int(np.isfinite(naive_scale(panel.y[:, : rows.start])).sum()) if rows else 0,
    )


def method(
    settings: CompareSettings,
    n_pairs: int,
    n_reference: int,
    block_length: int | None = None,
    chosen_by_data: bool = False,
) -> Method:
    """State the settings and rules behind every figure.

    Parameters
    ----------
    n_reference
        Comparisons with the reference.
    block_length
        As used; left out: as set.
    chosen_by_data
        Whether the reference is the best on the test block, so that all pairs were at stake.
    """
    level = 1 - settings.confidence
    n_reference = n_pairs if chosen_by_data else n_reference
    return Method(
        confidence=settings.confidence,
        block_length=block_length or settings.block_length,
        resamples=settings.resamples,
        seed=settings.seed,
        power=POWER,
        n_pairs=n_pairs,
        seeds_to_pass=seeds_to_pass(n_pairs, level),
        seeds_to_pass_reference=seeds_to_pass(n_reference, level),
        n_reference=n_reference,
        reference_family="all pairs" if chosen_by_data else "the comparisons with the reference",
        group_rule=RULE,
        metrics=DEFINITIONS,
    )


def provenance(outcomes: Iterable[Outcome], panel_sha256: str) -> Provenance:
    """Collect what the finished runs were made with."""
    records = [record for outcome in outcomes for record in outcome.finished]
    libraries = sorted({name for record in records for name in record.versions})
    return Provenance(
        panel_sha256=panel_sha256,
        code_sha256=_distinct(record.code_sha256 for record in records),
        git_revisions=_distinct(record.git_revision for record in records),
        versions={name: _distinct(record.versions.get(name) for record in records) for name in libraries},
        threads=_distinct(record.threads for record in records),
        devices=_distinct(record.device for record in records),
        platforms=_distinct(record.platform for record in records),
    )


def _distinct(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(sorted({str(value) for value in values if value is not None}))


def notes(
    outcomes: Sequence[Outcome],
    tested: HeldOut,
    origin: Provenance,
    block_length: int,
    pairs: Sequence[Pair],
) -> list[str]:
    """List what a reader must know before citing a figure, most serious first."""
    found = [
        note
        for outcome in outcomes
        for note in (*_about_failures(outcome), *_about_warnings(outcome), *_about_machines(outcome))
    ]
    for title, values in _shared(origin):
        if len(values) > 1:
            found.append(f"The runs do not share one {title}: {', '.join(value[:40] for value in values)}.")
    reason = too_short(tested.n_periods, block_length)
    if reason:
        found.append(f"No interval over target periods: {reason}. Nothing is separable without one.")
    leaking = [outcome.label for outcome in outcomes if outcome.leaks]
    if leaking:
        found.append(
            f"The split of {', '.join(leaking)} leaks, as declared: the score is shown and ranks nothing."
        )
    constant = tested.n_series - tested.n_scaled_series
    if tested.n_rows and constant > 0:
        found.append(
            f"{constant} of {tested.n_series} series do not change before the test block, "
            "so they have no scaled error."
        )
    single = [one.name for one in outcomes if len(one.seeds) == 1 and not one.deterministic]
    if single:
        found.append(f"One finished seed shows no run-to-run spread: {', '.join(single)}.")
    weak = [pair for pair in pairs if pair.seeds.p_sign is not None and pair.seeds.descriptive]
    if weak:
        found.append(
            f"Over all pairs, {len(weak)} of {weak[0].seeds.family} seed-by-seed comparisons are descriptive "
            "only: with so few seeds the exact sign-flip test cannot pass its level after Holm, whatever the "
            "difference."
        )
    return found


def _about_failures(outcome: Outcome) -> list[str]:
    failed: tuple[RunRecord, ...] = outcome.failed
    if not failed:
        return []
    seeds = ", ".join(str(record.seed) for record in failed)
    left = f"figures rest on the {len(outcome.seeds)} that finished" if outcome.seeds else "it has no figures"
    return [f"{outcome.name}: {len(failed)} of {len(outcome.records)} seeds failed ({seeds}); {left}."]


def _about_warnings(outcome: Outcome) -> list[str]:
    """Repeat what finished runs say of themselves (`models.sanity`), the same sentence form for all seeds."""
    warned = [
        (record.seed, str(text))
        for record in outcome.finished
        for name, text in record.notes.items()
        if name.startswith("warning")
    ]
    if not warned:
        return []
    seeds = ", ".join(str(seed) for seed in dict.fromkeys(seed for seed, _ in warned))
    more = "" if len(warned) == 1 else f" (seed {warned[0][0]})"
    return [f"{outcome.name}, seed {seeds}: {warned[0][1]}{more}."]


def _about_machines(outcome: Outcome) -> list[str]:
    """Say so where an experiment's seeds come from different hardware, as a cluster's may.

    Two nodes can state the same platform, which names the operating system.
    """
    found = sorted({(record.device or "cpu", record.processor) for record in outcome.finished})
    if len(found) < 2:
        return []
    named = "; ".join(f"{device}, {processor[:40] or 'unknown processor'}" for device, processor in found)
    return [
        f"{outcome.name}: its seeds were computed on different hardware ({named}), so what sets them apart "
        "is not the seed alone."
    ]


def _shared(origin: Provenance) -> list[tuple[str, tuple[str, ...]]]:
    return [
        ("state of the code (SHA-256)", origin.code_sha256),
        *((f"version of {name}", values) for name, values in origin.versions.items()),
        ("number of threads", origin.threads),
        ("platform", origin.platforms),
    ]
