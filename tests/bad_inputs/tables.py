"""A small right CSV file, and ways of making it wrong."""

from __future__ import annotations

from datetime import date, timedelta

HEADER = ["shop", "line", "week", "sold", "promo", "region", "ignored"]
WEEKS = 6
Rows = list[list[str]]


def rows() -> Rows:
    """Two shops with two lines each over six weeks: 24 rows; row 0 stands on line 2."""
    start = date(2024, 1, 1)
    return [
        [shop, line, str(start + timedelta(weeks=week)), str(10 * week + len(shop)), str(week % 2), "r", "x"]
        for shop in ("north", "south")
        for line in ("a", "b")
        for week in range(WEEKS)
    ]


def text(table: Rows, header: list[str] | None = None, separator: str = ",", end: str = "\n") -> str:
    """Return rows as CSV without any quoting."""
    return "".join(separator.join(row) + end for row in [HEADER if header is None else header, *table])


def cell(row: int, column: str, value: str) -> str:
    """Return the right file with one value changed; row 8 is north, b, 2024-01-15, on line 10."""
    table = rows()
    table[row][HEADER.index(column)] = value
    return text(table)


def column(name: str, *values: str) -> str:
    """Return the right file with a whole column changed, its values repeated."""
    table = rows()
    for number, row in enumerate(table):
        row[HEADER.index(name)] = values[number % len(values)]
    return text(table)


def renamed(old: str, new: str) -> str:
    """Return the right file with one column called otherwise."""
    return text(rows(), [new if name == old else name for name in HEADER])
