"""The user's own CSV file as a panel: strict about dates and numbers, with the line in every message."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from panelbench.config.words import on_one_line
from panelbench.errors import InputError
from panelbench.panel import csv_text, names, raw
from panelbench.panel.csv_text import TextTable
from panelbench.panel.draft import Draft
from panelbench.panel.grid import FIRST_YEAR, LAST_YEAR
from panelbench.panel.panel import RawFile
from panelbench.panel.settings import CsvSettings

NAME = "panel.csv"
ISO = r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?"
ZONE = r".*\d{2}:\d{2}.*(Z|[+-]\d{2}:?\d{2})"
NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "#n/a"})
INFINITE = frozenset({"inf", "infinity", "+inf", "-inf", "-infinity", "+infinity"})


def fetch(settings: CsvSettings, folder: Path) -> list[RawFile]:
    """Copy the user's file into `folder`, so that the panel's hash and its source stay together.

    Raises
    ------
    InputError
        If `panel.path` names no file.
    """
    path = raw.user_path(settings.path, folder)
    if not path.is_file():
        raise InputError(
            f"params.yaml: panel.path is '{settings.path}', which is a folder; name one CSV file."
        )
    return [RawFile(name=NAME, sha256=raw.copy(path, folder / NAME))]


def build(settings: CsvSettings, folder: Path) -> Draft:
    """Read the file's named columns as dates, numbers and text.

    Raises
    ------
    InputError
        Naming the line, the series, the value and how many rows are affected.
    """
    numeric = (settings.target, *settings.past, *settings.future)
    wanted = (*settings.id, settings.time, *numeric, *settings.static)
    path = folder / NAME
    if not path.exists():
        raise InputError(f"{path} is not there. `dvc repro` makes it.")
    table = csv_text.read(path, settings.path, tuple(dict.fromkeys(wanted)), settings.delimiter)
    reader = _Reader(settings, table)
    columns: dict[str, object] = {
        "unique_id": reader.series,
        "ds": reader.dates(),
        "y": reader.numbers(settings.target),
    }
    columns |= {name: reader.numbers(name) for name in (*settings.past, *settings.future)}
    columns |= {name: reader.text(name) for name in settings.static}
    return Draft(
        frame=pd.DataFrame(columns),
        title=settings.title or Path(settings.path).name,
        target_name=settings.target,
        unit=settings.unit,
        frequency=settings.frequency,
        past=settings.past,
        future=settings.future,
        static=settings.static,
        event_column=settings.event,
        incomplete=settings.incomplete,
        origin=settings.path,
    )


class _Reader:
    """Turns columns of text into columns of one kind, or says which row cannot be turned."""

    def __init__(self, settings: CsvSettings, table: TextTable) -> None:
        self.settings = settings
        self.table = table
        self.series = self._series()

    def _series(self) -> list[str]:
        """Return the name of each row's series: the id columns joined by an underscore."""
        columns = self.settings.id
        if not columns:
            return ["series"] * len(self.table.lines)
        for name in columns:
            empty = np.array([value == "" for value in self.table.columns[name]])
            if empty.any():
                row = int(np.flatnonzero(empty)[0])
                raise InputError(
                    f"{self.settings.path}, line {self.table.lines[row]}: the id column '{name}' is empty; "
                    f"{int(empty.sum()):,} rows have no series. Write its name there, or take the row out."
                )
        parts = list(zip(*(map(names.composed, self.table.columns[name]) for name in columns), strict=True))
        for row, name in enumerate(map("_".join, parts)):
            fault = names.fault(name)
            if fault is not None:
                raise InputError(
                    f"{self.settings.path}, line {self.table.lines[row]}: the series is called "
                    f"{name[:60]!r}; {fault}."
                )
        joined: dict[str, tuple[str, ...]] = {}
        for part in dict.fromkeys(parts):
            other = joined.setdefault("_".join(part), part)
            if other != part:
                raise InputError(
                    f"{self.settings.path}: two different series get the name '{'_'.join(part)}' from the id "
                    f"columns {', '.join(columns)}: {other} and {part}. Rename one of them."
                )
        return ["_".join(part) for part in parts]

    def dates(self) -> pd.Series:
        """Return the period starts.

        Raises
        ------
        InputError
            Naming the line and the value that is not a date, or has a time zone.
        """
        name, form = self.settings.time, self.settings.time_format
        text = pd.Series(self.table.columns[name], dtype=object)
        zoned = text.str.fullmatch(ZONE).to_numpy(bool)
        if form is None and zoned.any():
            self._refuse(
                zoned,
                name,
                "a date with a time zone",
                "Write local times without a zone, as 2024-01-29T13:00.",
            )
        if form is None:
            odd = ~text.str.fullmatch(ISO).to_numpy(bool)
            if odd.any():
                remedy = "Dates look like 2024-01-29 or 2024-01-29T13:00, the same in every row"
                self._refuse(
                    odd, name, "not a date", f"{remedy}; another form is named by panel.time_format."
                )
        try:
            parsed = pd.to_datetime(text, format=form or "ISO8601", errors="coerce")
        except ValueError as error:
            raise InputError(f"params.yaml: panel.time_format is '{form}': {error}.") from error
        if not pd.api.types.is_datetime64_dtype(parsed):
            self._refuse(
                np.ones(len(text), bool), name, "a date with a time zone", "Write local times without a zone."
            )
        wrong = parsed.isna().to_numpy(bool)
        if wrong.any():
            self._refuse(
                wrong, name, "not a date", f"It must exist and have the form {form or '2024-01-29'}."
            )
        far = ~parsed.dt.year.between(FIRST_YEAR, LAST_YEAR).to_numpy(bool)
        if far.any():
            self._refuse(far, name, "not plausible", f"Years from {FIRST_YEAR} to {LAST_YEAR} are allowed.")
        return parsed

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return one column as numbers; what is missing, infinite or text is refused, never guessed."""
        text = pd.Series(self.table.columns[name], dtype=object)
        plain = text.str.lower()
        for words, what in ((MISSING, "missing"), (INFINITE, "infinite")):
            bad = plain.isin(words).to_numpy(bool)
            if bad.any():
                remedy = "Nothing is filled in by guessing: put the true value there, or take the series out."
                self._refuse(bad, name, what, remedy)
        if self.settings.decimal == ",":
            text = text.where(~text.str.contains(".", regex=False), "x").str.replace(",", ".", regex=False)
        odd = ~text.str.fullmatch(NUMBER).to_numpy(bool)
        if odd.any():
            example = f"1234{self.settings.decimal}5"
            remedy = f"Numbers look like {example} (panel.decimal), without a thousands separator or a unit."
            self._refuse(odd, name, "not a number", remedy)
        return text.to_numpy(dtype=str).astype(np.float64)

    def text(self, name: str) -> list[str]:
        """Return one column as text, no value empty."""
        empty = np.array([value == "" for value in self.table.columns[name]])
        if empty.any():
            self._refuse(empty, name, "empty", "A static column needs a value in every row.")
        return [names.composed(value) for value in self.table.columns[name]]

    def _refuse(self, bad: NDArray[np.bool_], name: str, what: str, remedy: str) -> None:
        row = int(np.flatnonzero(bad)[0])
        when = on_one_line(self.table.columns[self.settings.time][row][:40])
        value = on_one_line(self.table.columns[name][row][:60])
        raise InputError(
            f"{self.settings.path}, line {self.table.lines[row]}: the column '{name}' is '{value}' "
            f"in the series '{self.series[row]}' at {when}, which is {what}; {int(bad.sum()):,} of "
            f"{len(bad):,} rows are. "
            f"{remedy}"
        )
