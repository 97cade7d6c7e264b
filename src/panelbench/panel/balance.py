"""Same periods for every series: refuse the others, or leave them out and say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from panelbench.errors import InputError
from panelbench.panel import names
from panelbench.panel.draft import Draft
from panelbench.panel.grid import periods, show


def balance(draft: Draft, frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the rows of series that have every period of the span most series share, and notes.

    The span (first and last period) is the one that most series have; among equals the longest. With
    `incomplete: drop` a series that lacks a period of it is left out and rows outside it are cut off.

    Raises
    ------
    InputError
        With `incomplete: refuse` at the first gap or other span; with `drop` when no series is left.
    """
    grid = periods(frame["ds"].min(), frame["ds"].max(), draft.frequency)
    position = pd.Series(grid.get_indexer(pd.DatetimeIndex(frame["ds"])), index=frame.index)
    spans = position.groupby(frame["unique_id"], sort=True).agg(["first", "last", "size"])
    start, end = _shared_span(spans)
    if draft.incomplete == "refuse":
        _refuse_gaps(draft, frame, grid, position, spans)
        _refuse_other_spans(draft, grid, spans, start, end)
        return frame, ()
    inside = frame[position.between(start, end)]
    rows = inside.groupby("unique_id", sort=True).size().reindex(spans.index, fill_value=0)
    complete = rows == end - start + 1
    left_out = [str(name) for name in rows.index[~complete]]
    if not complete.any():
        raise InputError(
            f"{draft.shown}: no series has all {end - start + 1} periods from {show(grid[start])} to "
            f"{show(grid[end])}; "
            f"{len(left_out):,} series have gaps. Check panel.frequency ({draft.frequency}), or fill the "
            "gaps in."
        )
    kept = inside[inside["unique_id"].isin(rows.index[complete])].reset_index(drop=True)
    cut = int(spans["size"][complete].sum()) - len(kept)
    return kept, _notes(left_out, len(rows), cut, f"{show(grid[start])} to {show(grid[end])}")


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return "3 series (a, b, c)", with the first few names only."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{len(names)} series ({', '.join(names[:most])}{more})"


def _notes(left_out: list[str], total: int, cut: int, span: str) -> tuple[str, ...]:
    notes = []
    if left_out:
        notes.append(f"Left out of {total}: {listed(left_out)}, which lack a period from {span}.")
    if cut:
        notes.append(f"Cut off: {cut} rows outside the span that most series share, {span}.")
    return tuple(notes)


def _shared_span(spans: pd.DataFrame) -> tuple[int, int]:
    counts = Counter(zip(spans["first"].tolist(), spans["last"].tolist(), strict=True))
    return max(counts, key=lambda span: (counts[span], span[1] - span[0], -span[0]))


def _refuse_gaps(
    draft: Draft, frame: pd.DataFrame, grid: pd.DatetimeIndex, position: pd.Series, spans: pd.DataFrame
) -> None:
    missing = spans["last"] - spans["first"] + 1 - spans["size"]
    holes = missing[missing > 0]
    if holes.empty:
        return
    series = str(holes.index[0])
    own = position[frame["unique_id"] == series].to_numpy()
    steps = own[1:] - own[:-1]
    after = int(own[:-1][steps > 1][0])
    usual = int(pd.Series(steps).mode().iloc[0])
    doubt = (
        f" Its rows are mostly {usual} periods apart, so panel.frequency may be wrong." if usual > 1 else ""
    )
    raise InputError(
        f"{draft.shown}: the series '{series}' has no row for {show(grid[after + 1])} (frequency "
        f"{draft.frequency}); it lacks "
        f"{int(holes.iloc[0]):,} periods, and {len(holes):,} of {len(spans):,} series lack "
        f"{int(holes.sum()):,} together.{doubt} "
        "Add the missing rows, or set panel.incomplete: drop (source csv) to leave such series out."
        f"{_same_but_for_case(series, spans)}"
    )


def _refuse_other_spans(
    draft: Draft, grid: pd.DatetimeIndex, spans: pd.DataFrame, start: int, end: int
) -> None:
    other = spans[(spans["first"] != start) | (spans["last"] != end)]
    if other.empty:
        return
    first = other.iloc[0]
    raise InputError(
        f"{draft.shown}: the series '{other.index[0]}' runs from {show(grid[int(first['first'])])} to "
        f"{show(grid[int(first['last'])])}, while {len(spans) - len(other):,} of {len(spans):,} series run "
        "from "
        f"{show(grid[start])} to {show(grid[end])}; {len(other):,} series differ. Every series needs the "
        "same periods: cut "
        "them to the same dates, or set panel.incomplete: drop (source csv) to leave such series out."
        f"{_same_but_for_case(str(other.index[0]), spans)}"
    )


def _same_but_for_case(series: str, spans: pd.DataFrame) -> str:
    """Return a hint where two names are probably meant to be one."""
    other = names.other_case(series, [str(name) for name in spans.index])
    return f" '{other}' differs from '{series}' in capitals or blanks only: one series?" if other else ""
