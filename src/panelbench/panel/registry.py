"""Find a source by the name in params.yaml without importing what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from panelbench.config.strict import choices, describe, nearest, parse
from panelbench.errors import InputError
from panelbench.panel.settings import (
    ChapterSettings,
    CsvSettings,
    M5Settings,
    PanelSettings,
    RossmannSettings,
    SyntheticSettings,
)

if TYPE_CHECKING:
    from panelbench.panel.draft import Draft
    from panelbench.panel.panel import RawFile


class Source(Protocol):
    """What the module of a source offers."""

    def fetch(self, settings: Any, raw: Path) -> list[RawFile]:
        """Put the raw files into `raw`, reusing those that are there and right; return their names."""

    def build(self, settings: Any, raw: Path) -> Draft:
        """Make the long frame from the raw files, without the network."""


@dataclass(frozen=True)
class Entry:
    """One line of the registry."""

    settings: type[PanelSettings]
    module: str


SOURCES: dict[str, Entry] = {
    "rossmann": Entry(RossmannSettings, "panelbench.panel.rossmann"),
    "m5": Entry(M5Settings, "panelbench.panel.m5"),
    "synthetic": Entry(SyntheticSettings, "panelbench.panel.synthetic"),
    "chapter": Entry(ChapterSettings, "panelbench.panel.chapter"),
    "csv": Entry(CsvSettings, "panelbench.panel.csv_source"),
}


def resolve(panel: Mapping[str, Any]) -> PanelSettings:
    """Return the typed settings of the source that `panel` (params.yaml's group) names.

    Raises
    ------
    InputError
        If the source is missing or unknown (with the nearest name), or one of its keys is wrong.
    """
    name = panel.get("source")
    if not isinstance(name, str) or name not in SOURCES:
        found = "missing" if name is None else f"{describe(name)}, which is not known"
        raise InputError(
            f"params.yaml: panel.source is {found}.{nearest(str(name), SOURCES)} Allowed: {choices(SOURCES)}."
        )
    return parse(SOURCES[name].settings, panel, "panel")


def source(name: str) -> Source:
    """Import the module of a source that `resolve` accepted."""
    return cast(Source, import_module(SOURCES[name].module))
