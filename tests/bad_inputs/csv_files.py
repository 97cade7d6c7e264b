"""CSV files that are not the file they should be: encoding, form, columns, names of series."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

from tests.bad_inputs.case import PANEL, Case, Content
from tests.bad_inputs.tables import HEADER, Rows, cell, column, renamed, rows, text

PATH = PANEL["path"]
FILE = r"data/user/mine\.csv"
SAVE = "Save it as|save it as"


def bad(
    name: str,
    content: Content,
    place: str,
    value: str,
    remedy: str,
    file: str = FILE,
    **panel: object,
) -> Case:
    """One file in place of the right one."""
    params = {"panel": {**PANEL, **panel}}
    return Case(f"csv: {name}", file, place, value, remedy, params, {PATH: content})


def _latin() -> bytes:
    return column("region", "Süd").encode("latin-1")


def _without(*numbers: int) -> str:
    return text([row for number, row in enumerate(rows()) if number not in numbers])


def _twice() -> str:
    table = rows()
    return text([*table[:9], table[8], *table[9:]])


def _cased() -> str:
    table = rows()
    for row in table[3:6]:
        row[0] = "North"
    return text(table)


def _look_alike(other: str) -> str:
    """Two shops whose names differ in something that a page does not show."""
    table = [[*row] for row in rows() if row[0] == "north" and row[1] == "a"]
    return text([*table, *([other, *row[1:]] for row in table)])


def _wide(columns: int) -> str:
    names = ",".join(f"c{number}" for number in range(columns))
    return f"{names}\n{','.join('1' for _ in range(columns))}\n"


def _joined() -> str:
    table: Rows = []
    for shop, line in (("a_b", "c"), ("a", "b_c")):
        table += [[shop, line, *row[2:]] for row in rows()[:6]]
    return text(table)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _circle(path: Path) -> None:
    path.symlink_to(path.name)


def _folder(path: Path) -> None:
    path.mkdir()


ENCODING = [
    bad("no byte", "", "its first line", "is empty", "must name the columns"),
    bad("a byte-order mark alone", "\ufeff", "its first line", "is empty", "must name the columns"),
    bad("blank lines only", "\n\n\n", "first line", "is empty", "must name the columns"),
    bad("UTF-16 with a mark", text(rows()).encode("utf-16"), "", "UTF-16", SAVE),
    bad("UTF-16 without a mark", text(rows()).encode("utf-16-le"), "", "zero bytes", SAVE),
    bad("UTF-32", text(rows()).encode("utf-32"), "", "UTF-32", SAVE),
    bad("Latin-1", _latin(), "line 2", "0xfc", SAVE),
    bad("Windows-1252 quotes", column("region", "\u201cx\u201d").encode("cp1252"), "line 2", "0x93", SAVE),
    bad("cut within a character", column("region", "x").encode() + b"\xc3", "line 26", "0xc3", SAVE),
    bad("a NUL byte", text(rows()).replace("south", "so\0th"), "", "zero bytes", SAVE),
    bad("a spreadsheet", b"PK\x03\x04\x14\x00\x06\x00", "", "zip or a spreadsheet", SAVE),
    bad("an old spreadsheet", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "", "old spreadsheet", SAVE),
    bad("packed", gzip.compress(text(rows()).encode()), "", "gzip", "unpack it"),
    bad("parquet", b"PAR1\x15\x04\x15", "", "parquet", "write it as CSV"),
    bad(
        "a page of the web",
        "<!doctype html>\n<html></html>\n",
        "no column 'shop'",
        "doctype",
        "Columns there",
    ),
]

FORM = [
    bad("header only", ",".join(HEADER) + "\n", "header", "shop, line", "add the data"),
    bad("no header", text(rows(), rows()[0]), "no column 'shop'", "6 of 6", "Columns there: north"),
    bad("semicolons", text(rows(), separator=";"), "no column", "';'", "set panel.delimiter"),
    bad("tabs", text(rows(), separator="\t"), "no column", r"'\\t'", "set panel.delimiter"),
    bad(
        "mixed separators",
        text(rows()).replace("north,b,", "north;b;"),
        "line 8",
        "5 fields",
        "double quotes",
    ),
    bad(
        "a row too long",
        text(rows()).replace("south,b,2024-01-15", "south,b,c,2024-01-15"),
        "line 22",
        "8 fields",
        "quotes",
    ),
    bad(
        "a row too short",
        text(rows()).replace(",sold,", ",sold,").replace("south,b,2024-01-15,", "south,b,"),
        "line 22",
        "6 fields",
        "quotes",
    ),
    bad(
        "a comma at the end of each row",
        text(rows(), end=",\n").replace(",\n", "\n", 1),
        "line 2",
        "8 fields",
        "quotes",
    ),
    bad(
        "a quote never closed",
        text(rows()).replace("north,b", '"north,b', 1),
        "line 8",
        "never closed",
        "Close it",
    ),
    bad(
        "a quote within a field",
        text(rows()).replace("north,b", '"no"rth",b', 1),
        "line 8",
        "expected after",
        "twice",
    ),
    bad(
        "a field of 200,000 characters", cell(8, "ignored", "x" * 200_000), "line 10", "field limit", "quote"
    ),
    bad("the target is absent", renamed("sold", "solde"), "column 'sold'", "1 of 6", "Did you mean 'solde'"),
    bad(
        "the target is there twice",
        renamed("ignored", "sold"),
        "columns named 'sold'",
        "2 columns",
        "rename one",
    ),
    bad(
        "a name in other capitals", renamed("sold", "Sold"), "column 'sold'", "1 of 6", "Did you mean 'Sold'"
    ),
    bad(
        "a million columns", _wide(1_000_000), "no column 'shop'", "6 of 6", "Columns there: c0.*999,970 more"
    ),
    bad("a folder", _folder, "panel.path", "a folder", "name one CSV file", file="params"),
    bad("a pipe", _pipe, "panel.path", "neither a file nor a folder", "Copy its content", file="params"),
    bad("a link to itself", _circle, "panel.path", "mine", "Name a file|usual place", file="params"),
]

NAMES = [
    bad("no name", cell(8, "line", " "), "line 10", "'line' is empty", "Write its name"),
    bad("a control character", cell(8, "shop", "\x1b[31mred"), "line 10", "x1b", "without control"),
    bad("a line break", cell(8, "shop", '"two\nlines"'), "line 11", "two.nlines", "one line"),
    bad("turned round", cell(8, "shop", "\u202eabc"), "line 10", "u202e", "without control"),
    bad("201 characters", cell(8, "shop", "n" * 201), "line 10", "nnn", "at most 200"),
    bad("a formula", cell(8, "shop", "=cmd|' /C calc'!A0"), "line 10", "=cmd", "put a letter"),
    bad("a formula with @", column("shop", "@SUM(1+1)"), "line 2", "@SUM", "put a letter"),
    bad("a formula with -", column("shop", "-2+3+cmd|x"), "line 2", "-2", "put a letter"),
    bad("two that join to one", _joined(), "id columns shop, line", "a_b_c", "Rename"),
    bad("unlike in capitals", _cased(), "'North_a'|'north_a'", "2024-01", "capitals or blanks only"),
    bad("unlike in an unseen character", _look_alike("no\u200brth"), "series' name", "u200b", "Write one"),
    bad(
        "unlike in the kind of blank",
        _look_alike("north\u00a0").replace("north,", "north x,").replace("north\u00a0,", "north\u00a0x,"),
        "series' name",
        "xa0",
        "Write one",
    ),
    bad(
        "unlike in how an accent is coded",
        column("shop", "caf\u00e9", "cafe\u0301"),
        "caf\u00e9_a",
        "more than one row|no row|runs from",
        "Keep one|Add|cut",
    ),
    bad("a static value empty", cell(8, "region", ""), "line 10", "'region' is ''", "needs a value"),
    bad("a static value changes", cell(8, "region", "s"), "'region' changes", r"r, s", "past or future"),
    bad("a static value of two lines", column("region", '"a\nb"'), "'region'", r"a\\nb", "one line"),
    bad("a row is there twice", _twice(), "2024-01-15", "more than one row", "Keep one row"),
    bad("a row is missing", _without(8), "2024-01-15", "no row", "Add the missing rows"),
    bad("a series starts later", _without(6), "north_b", "2024-01-08", "cut them"),
    bad(
        "every series has a gap",
        _without(2, 8, 14, 20),
        "2024-01-15",
        "4 of 4",
        "Add the missing",
        incomplete="refuse",
    ),
    bad(
        "no series is whole",
        _without(2, 8, 14, 20),
        "panel.frequency",
        "6 periods",
        "fill the gaps",
        incomplete="drop",
    ),
]

CASES = [*ENCODING, *FORM, *NAMES]
