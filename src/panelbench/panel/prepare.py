"""The stage that makes the panel: `data/panel.parquet` and `data/panel.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from panelbench.files import sha256, write_json, write_parquet
from panelbench.panel.contract import check
from panelbench.panel.draft import Draft
from panelbench.panel.fetch import fetched
from panelbench.panel.grid import show
from panelbench.panel.panel import PanelInfo, RawFile
from panelbench.panel.registry import resolve, source
from panelbench.panel.settings import PanelSettings, default_season


def prepare(settings: Mapping[str, Any], raw: Path, parquet: Path, facts: Path) -> PanelInfo:
    """Build the panel from the raw files, check it and write it.

    Repeated on the same raw files it writes the same bytes.

    Parameters
    ----------
    settings
        The group `panel` of params.yaml.
    raw
        Folder that `fetch` filled.
    parquet, facts
        Files to write: the long frame, and what it is.

    Raises
    ------
    InputError
        If the raw files do not make a panel; names series, period and count.
    """
    resolved = resolve(settings)
    files = fetched(raw, resolved.source)
    draft = source(resolved.source).build(resolved, raw)
    frame, notes = check(draft)
    write_parquet(parquet, frame)
    info = describe_panel(resolved, draft, frame, notes, files).model_copy(update={"sha256": sha256(parquet)})
    write_json(facts, info.model_dump(mode="json"))
    return info


def describe_panel(
    settings: PanelSettings,
    draft: Draft,
    frame: pd.DataFrame,
    notes: tuple[str, ...],
    files: tuple[RawFile, ...] = (),
) -> PanelInfo:
    """Return the facts of a checked frame, without the hash of its file."""
    n_series = int(frame["unique_id"].nunique())
    zeros = int((frame["y"] == 0).sum())
    counted = (f"{zeros:,} of {len(frame):,} {draft.row_name}s have zero {draft.target_name}; they stay.",)
    return PanelInfo(
        source=settings.source,
        title=draft.title,
        target_name=draft.target_name,
        unit=draft.unit,
        frequency=draft.frequency,
        season=settings.season or default_season(draft.frequency),
        n_series=n_series,
        n_steps=len(frame) // n_series,
        n_rows=len(frame),
        start=show(frame["ds"].min()),
        end=show(frame["ds"].max()),
        past=draft.past,
        future=draft.future,
        static=draft.static,
        event_column=draft.event_column,
        zero_rows=zeros,
        notes=(*draft.notes, *notes, *(counted if zeros else ())),
        files=files,
    )
