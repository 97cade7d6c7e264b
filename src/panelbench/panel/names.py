"""Names of series and static values: text that tables, figures and spreadsheets show as it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from panelbench.config.strict import is_one_line

LONGEST_NAME = 200
"""Characters in the name of a series or in a static value, which tables and figures show."""
FORMULA = ("=", "+", "-", "@")
"""How a cell begins that a spreadsheet runs instead of showing it; the result tables are CSV files."""

NUMBER = re.compile(r"[+-][0-9]+(\.[0-9]+)?")


def composed(text: str) -> str:
    """Return the text in Unicode's composed form (NFC): "e" and an accent are the letter with the accent."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fault(name: str, *, shown_in_tables: bool = True) -> str | None:
    """Return why a name cannot be shown, as the end of a sentence, or None.

    Parameters
    ----------
    shown_in_tables
        Whether the CSV files of results hold it, which people open in spreadsheets.
    """
    if len(name) > LONGEST_NAME or not is_one_line(name):
        return f"a name is one line of at most {LONGEST_NAME} characters, without control characters"
    if shown_in_tables and name.startswith(FORMULA) and not NUMBER.fullmatch(name):
        return (
            f"a spreadsheet would run a name that begins with {name[0]!r} as a formula; put a letter or a "
            "digit first"
        )
    return None


def alike(names: Iterable[str]) -> tuple[str, str] | None:
    """Return two different names that look the same on a page: blanks of other kinds, unseen characters."""
    seen: dict[str, str] = {}
    for name in names:
        look = name if name.isascii() else "".join(one for one in name if unicodedata.category(one) != "Cf")
        look = unicodedata.normalize("NFC", " ".join(look.split()))
        other = seen.setdefault(look, name)
        if other != name:
            return other, name
    return None


def other_case(name: str, names: Sequence[str]) -> str | None:
    """Return another name that differs from `name` in capitals and blanks only, if there is one."""
    folded = "".join(name.casefold().split())
    return next((one for one in names if one != name and "".join(one.casefold().split()) == folded), None)
