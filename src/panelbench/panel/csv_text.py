"""Read the user's CSV file as text, strictly: encoding, header, equal number of fields in every row."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from panelbench.config.strict import nearest
from panelbench.config.words import on_one_line
from panelbench.errors import InputError
from panelbench.panel.names import composed

PIECE = 1 << 20
BOMS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
MOST_COLUMNS = 30
"""Columns that a message lists."""
DELIMITERS = (",", ";", "\t", "|")
OTHER_FILES = {
    b"PK\x03\x04": "a zip or a spreadsheet (.xlsx, .ods); save it as 'CSV UTF-8' where it was made",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet (.xls); save it as 'CSV UTF-8' where it was made",
    b"\x1f\x8b": "packed with gzip; unpack it first",
    b"BZh": "packed with bzip2; unpack it first",
    b"\xfd7zXZ": "packed with xz; unpack it first",
    b"PAR1": "a parquet file; write it as CSV first",
    b"%PDF": "a PDF; take the table out of it as CSV first",
}
"""What is often taken for a CSV file, by its first bytes."""


@dataclass(frozen=True)
class TextTable:
    """Columns of text, and the line of the file that each row ends on."""

    columns: dict[str, list[str]]
    lines: list[int]


def read(path: Path, shown: str, wanted: Sequence[str], delimiter: str) -> TextTable:
    """Return the wanted columns of a CSV file.

    Parameters
    ----------
    path
        The file; UTF-8 with or without a byte-order mark.
    shown
        How messages name it: the path the user wrote.
    wanted
        Column names; the file may have others.
    delimiter
        One character between the fields.

    Raises
    ------
    InputError
        If the file is empty, in another encoding, lacks a column, has a name twice, has no row below the
        header, or a row with another number of fields; names the line.
    """
    _check_encoding(path, shown)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        lines: list[int] = []
        try:
            header = [composed(name.strip()) for name in next(reader, [])]
            places = _places(header, wanted, shown, delimiter)
            columns: dict[str, list[str]] = {name: [] for name in places}
            for row in reader:
                if not row:
                    continue
                if len(row) != len(header):
                    raise InputError(
                        f"{shown}, line {reader.line_num}: {len(row)} fields where the header has "
                        f"{len(header)}. A field "
                        f"that contains {delimiter!r} must be in double quotes."
                    )
                lines.append(reader.line_num)
                for name, place in places.items():
                    columns[name].append(row[place].strip())
        except csv.Error as error:
            first = lines[-1] + 1 if lines else 1
            raise InputError(_not_csv(shown, error, reader.line_num, first)) from error
    if not lines:
        raise InputError(f"{shown} has a header ({_listed(header[:8])}) but no row below it; add the data.")
    return TextTable(columns, lines)


def _not_csv(shown: str, error: csv.Error, line: int, first: int) -> str:
    """Return what the parser complains of; the row it was reading began on line `first`."""
    if "unexpected end of data" in str(error):
        return (
            f"{shown}, line {first}: a double quote is opened in this row and never closed, so the rest of "
            "the file is one field. Close it, or take it out."
        )
    hint = " A quote within a quoted field is written twice."
    if "field limit" in str(error):
        hint = f" A field has more than {csv.field_size_limit():,} characters; is a quote not closed?"
    return f"{shown}, line {line}: not valid CSV ({error}).{hint}"


def _places(header: list[str], wanted: Sequence[str], shown: str, delimiter: str) -> dict[str, int]:
    """Return the position of each wanted column."""
    if not any(header):
        raise InputError(f"{shown} is empty; its first line must name the columns.")
    there = {name: place for place, name in reversed(list(enumerate(header)))}
    missing = [name for name in dict.fromkeys(wanted) if composed(name) not in there]
    if missing:
        other = [mark for mark in DELIMITERS if mark != delimiter and mark in header[0]]
        hint = nearest(missing[0], header)
        if len(header) == 1 and other:
            hint = f" The header looks separated by {other[0]!r}: set panel.delimiter."
        raise InputError(
            f"{shown} has no column '{missing[0]}', which panel in params.yaml names ({len(missing)} of "
            f"{len(set(wanted))} "
            f"named columns are missing).{hint} Columns there: {_listed(header)}."
        )
    for name in wanted:
        count = header.count(composed(name))
        if count > 1:
            raise InputError(
                f"{shown} has {count} columns named '{name}'; each name may occur once: rename one, or take "
                "it out."
            )
    return {name: there[composed(name)] for name in wanted}


def _listed(header: Sequence[str]) -> str:
    """Return the first column names, shortened."""
    more = f" and {len(header) - MOST_COLUMNS:,} more" if len(header) > MOST_COLUMNS else ""
    return ", ".join(on_one_line(name) for name in header[:MOST_COLUMNS]) + more


def _check_encoding(path: Path, shown: str) -> None:
    """Refuse what is not UTF-8 text, with the line of the first byte that is not."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    try:
        with path.open("rb") as file:
            start = file.read(4)
            if not start:
                raise InputError(f"{shown} is empty; its first line must name the columns.")
            for mark, encoding in BOMS.items():
                if start.startswith(mark):
                    raise InputError(f"{shown} is in {encoding}; save it as UTF-8 (in Excel: 'CSV UTF-8').")
            for mark, kind in OTHER_FILES.items():
                if start.startswith(mark[:4]):
                    raise InputError(f"{shown} is no CSV file but {kind}.")
            file.seek(0)
            while piece := file.read(PIECE):
                if b"\0" in piece:
                    raise InputError(
                        f"{shown} contains zero bytes, so it is no text file; save it as CSV in UTF-8."
                    )
                decoder.decode(piece)
                line += piece.count(b"\n")
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        line += error.object[: error.start].count(b"\n")
        raise InputError(
            f"{shown}, line {line}: the byte 0x{error.object[error.start]:02x} is not UTF-8; the file is in "
            "another encoding, "
            "such as Latin-1 or Windows-1252. Save it as UTF-8 (in Excel: 'CSV UTF-8')."
        ) from error
    except OSError as error:
        raise InputError(f"{shown} cannot be read: {error.strerror}.") from error
