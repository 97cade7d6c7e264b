"""The keys of params.yaml's `panel` group, one class a source.

Importing this module costs nothing: no pandas, no network. `season` may be given for every source; left
out, it follows from the frequency (`SEASONS`).
"""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from panelbench.config import Strict
from panelbench.config.strict import Line

SEASONS = {"W": 52, "D": 7, "B": 5, "h": 24, "30min": 48, "15min": 96, "MS": 12, "QS": 4, "YS": 1}
"""Periods in the season that a frequency usually has; a week's anchor (W-MON) does not matter."""

YEARS = ("%Y", "%y", "%G")
"""Parts of a form of dates that give the year."""
_WEEKLY = re.compile(r"W-(MON|TUE|WED|THU|FRI|SAT|SUN)")
_SHA256 = r"^[0-9a-f]{64}$"
FREQUENCIES = "W-MON (to W-SUN), D, B (working days), h, 30min, 15min, MS (month), QS (quarter), YS (year)"

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
Text = Annotated[Line, Field(min_length=1, max_length=500)]
Name = Annotated[Line, Field(min_length=1, max_length=200)]


def default_season(frequency: str) -> int:
    """Return the number of periods in the usual season of `frequency`: 52 for W-MON, 7 for D."""
    return SEASONS["W" if _WEEKLY.fullmatch(frequency) else frequency]


def is_secure(url: str) -> bool:
    """Return whether what an address sends cannot be changed on its way: https, or this machine itself."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK))


def check_frequency(frequency: str) -> str:
    """Return `frequency` when it is one that panels may have, else raise ValueError that lists them."""
    if frequency == "W":
        raise ValueError("a week needs its first day; write W-MON for weeks that start on Monday")
    if frequency not in SEASONS and not _WEEKLY.fullmatch(frequency):
        raise ValueError(f"this frequency is not known; allowed are {FREQUENCIES}")
    return frequency


class PanelSettings(Strict):
    """What every source accepts."""

    source: str
    season: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Periods in one season, for the seasonal naive forecast; left out: usual for the frequency."""


class RossmannSettings(PanelSettings):
    """Weekly sales of German drugstores (the default panel)."""

    source: Literal["rossmann"]
    path: Text | None = None
    """A copy of the wheel or of the CSV inside it, where the package index cannot be reached."""


class M5Settings(PanelSettings):
    """Weekly sales of ten Walmart stores by category (the lecture's panel)."""

    source: Literal["m5"]
    path: Text | None = None
    """The prepared weekly CSV, or a folder or zip with the three raw files; left out: download."""
    urls: Annotated[tuple[Text, ...], Field(min_length=1)] = (
        "https://github.com/Nixtla/m5-forecasts/raw/main/datasets/m5.zip",
        "https://zenodo.org/records/10203108/files/",
    )
    """Mirrors in the order they are tried: a zip, or an address ending in / with the three CSV files."""
    sha256: Annotated[str, Field(pattern=_SHA256)] | None = None
    """Expected SHA-256 of the zip, downloaded or at `path`; left out: the panel's known content decides."""

    @field_validator("urls")
    @classmethod
    def _urls_are_web_addresses(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for url in urls:
            if not is_secure(url):
                raise ValueError(f"{url!r} is not an https:// address; a local copy is named by `path`")
        return urls


class SyntheticSettings(PanelSettings):
    """A made-up retail panel: no network, any size."""

    source: Literal["synthetic"]
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    series: Annotated[int, Field(ge=1, le=100_000)] = 24
    steps: Annotated[int, Field(ge=2, le=100_000)] = 156
    frequency: str = "W-MON"
    noise: Annotated[float, Field(ge=0, le=2)] = 0.15
    """Standard deviation of the multiplicative noise, on the log scale."""
    trend: Annotated[float, Field(ge=-1, le=1)] = 0.0
    """Growth over one season, on the log scale."""

    _frequency = field_validator("frequency")(check_frequency)


class ChapterSettings(PanelSettings):
    """A textbook's example: one hourly series of two waves, a trend and noise."""

    source: Literal["chapter"]
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    steps: Annotated[int, Field(ge=2, le=100_000)] = 4000
    noise: Annotated[float, Field(ge=0, le=100)] = 0.3
    """Standard deviation of the noise; the daily wave has amplitude 1."""
    trend: Annotated[float, Field(ge=-1, le=1)] = 0.001
    """Growth an hour."""


class CsvSettings(PanelSettings):
    """The user's own file, one row a series and period."""

    source: Literal["csv"]
    path: Text
    """The file, relative to the folder of params.yaml; best kept under data/user/, which DVC watches."""
    time: Name
    """Column with the start of the period, as 2024-01-29 or 2024-01-29T13:00."""
    time_format: Annotated[Line, Field(min_length=2, max_length=60)] | None = None
    """Another form of the dates, as %d.%m.%Y; left out: 2024-01-29, with or without a time of day."""
    target: Name
    """Column to forecast."""
    id: Annotated[tuple[Name, ...], Field(max_length=10)] = ()
    """Column or columns that tell the series apart; left out: the file is one series."""
    past: tuple[Name, ...] = ()
    """Numeric columns known only once their period is over, such as the weather."""
    future: tuple[Name, ...] = ()
    """Numeric columns known ahead, such as promotions and the calendar."""
    static: tuple[Name, ...] = ()
    """Columns that never change within a series, such as its region."""
    frequency: str = "W-MON"
    unit: Annotated[Line, Field(max_length=40)] = "units"
    title: Annotated[Line, Field(min_length=1, max_length=200)] | None = None
    event: Name | None = None
    """The known-ahead column that marks special periods in the report's figures."""
    incomplete: Literal["refuse", "drop"] = "refuse"
    """What to do with series that lack periods which most others have: stop, or leave them out and say so."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    decimal: Literal[".", ","] = "."

    _frequency = field_validator("frequency")(check_frequency)

    @field_validator("id", mode="before")
    @classmethod
    def _one_name_is_a_list(cls, names: object) -> object:
        return (names,) if isinstance(names, str) else names

    @field_validator("delimiter")
    @classmethod
    def _delimiter_separates(cls, delimiter: str) -> str:
        if delimiter.isalnum() or delimiter in '"\r\n\0':
            raise ValueError("this cannot stand between fields; usual are a comma, a semicolon, a tab and |")
        return delimiter

    @field_validator("time_format")
    @classmethod
    def _dates_are_not_guessed(cls, form: str | None) -> str | None:
        if form is not None and "%" not in form:
            raise ValueError("this has no part of a date in it; write a form such as %d.%m.%Y")
        if form is not None and not any(part in form for part in YEARS):
            raise ValueError("this has no year in it, and none is guessed; write a form such as %d.%m.%Y")
        return form

    @model_validator(mode="after")
    def _columns_have_one_role(self) -> CsvSettings:
        roles = [(self.time, "time"), (self.target, "target")]
        for role in ("past", "future", "static"):
            roles += [(name, role) for name in getattr(self, role)]
        if len(set(self.id)) < len(self.id):
            raise ValueError(f"id names a column twice: {', '.join(self.id)}")
        seen: dict[str, str] = {}
        for name, role in roles:
            if name in seen:
                raise ValueError(
                    f"the column '{name}' is named under both {seen[name]} and {role}; it has one role"
                )
            seen[name] = role
        if seen.get(self.time) and self.time in self.id:
            raise ValueError(f"the column '{self.time}' is named under both time and id; it has one role")
        if self.target in self.id:
            raise ValueError(f"the column '{self.target}' is named under both target and id; it has one role")
        if self.event is not None and self.event not in self.future:
            raise ValueError(f"event names '{self.event}', which is not under future")
        if self.delimiter == self.decimal:
            raise ValueError(
                "delimiter and decimal are the same character; a comma for decimals needs another delimiter"
            )
        reserved = {"unique_id", "ds", "y"} & {*self.past, *self.future, *self.static}
        if reserved:
            raise ValueError(
                f"{sorted(reserved)} cannot be names of covariates; the prepared panel uses them itself"
            )
        return self
