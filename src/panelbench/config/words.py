"""How messages about settings name values and choices: short, on one line, whatever the user wrote."""

from __future__ import annotations

import datetime
import difflib
import math
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Any

MOST_CHOICES = 60
"""Names that a message lists; a panel may have a million columns."""
MOST_COMPARED = 2000
"""Names that the nearest one is looked for among: comparing is slow."""
CUTOFF = 0.6
"""Likeness, 0 to 1, from which a name is suggested."""
LONGEST = 80
"""Characters of a value that a message shows."""
KINDS: Mapping[type, str] = {
    str: "text",
    int: "number",
    float: "number",
    bool: "true or false",
    tuple: "list",
    list: "list",
    dict: "group of keys",
    bytes: "binary",
    set: "set",
    datetime.date: "date",
    datetime.datetime: "date",
}


def nearest(name: str, allowed: Collection[str]) -> str:
    """Return a hint such as " Did you mean 'hidden'?", or an empty text when nothing is close."""
    wanted = str(name)[:LONGEST]
    # Names of very different length cannot be as much alike as CUTOFF asks; leaving them out changes nothing.
    least, most = CUTOFF / (2 - CUTOFF) * len(wanted), (2 - CUTOFF) / CUTOFF * len(wanted)
    possible = islice((one for one in map(str, allowed) if least <= len(one) <= most), MOST_COMPARED)
    close = difflib.get_close_matches(wanted, list(possible), n=1, cutoff=CUTOFF)
    close = close or _whole_of(wanted, allowed)
    return f" Did you mean '{close[0]}'?" if close else ""


def _whole_of(part: str, allowed: Collection[str]) -> list[str]:
    """Return the shortest name that `part` is a piece of, as 'decoder' is of 'transformer_decoder'."""
    names = islice((str(one) for one in allowed), MOST_COMPARED)
    whole = [one for one in names if part in one.split("_")]
    return [min(whole, key=len)] if whole else []


def choices(allowed: Iterable[str]) -> str:
    """Return the allowed names as one readable list, sorted; of very many the first."""
    names = sorted(allowed)
    more = f" and {len(names) - MOST_CHOICES:,} more" if len(names) > MOST_CHOICES else ""
    return ", ".join(names[:MOST_CHOICES]) + more


def describe(value: Any) -> str:
    """Return a value as YAML's words have it: its text, shortened, and its kind."""
    if value is None:
        return "null (no value)"
    if isinstance(value, datetime.date):
        return f"{value.isoformat()} (date)"
    text = repr(_lists(value))
    shown = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return f"{shown} ({KINDS.get(type(value), type(value).__name__)})"


def _lists(content: Any) -> Any:
    """Return `content` with tuples as the lists they were in the file."""
    if isinstance(content, Mapping):
        return {key: _lists(value) for key, value in content.items()}
    if isinstance(content, tuple | list):
        return [_lists(value) for value in content]
    return content


def on_one_line(key: Any) -> str:
    """Return a key as it is, shortened, or with line breaks and control characters written out."""
    text = str(key)
    text = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return text if text.isprintable() else repr(text)[1:-1]


def short(error: Exception) -> str:
    """Return what a library complains of on one line, shortened: parts of it come from the user's file."""
    text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return text if len(text) <= 2 * LONGEST else text[: 2 * LONGEST - 3] + "..."


def number_hint(text: str) -> str:
    """Return what is wrong with text where a number belongs, and how YAML would read it as one.

    YAML 1.1 takes 1e-3 and 1.0e9 for text: a float with an exponent needs a point and the exponent's sign.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        return "this is text, and a number is needed"
    mantissa, marked, exponent = text.strip().lower().partition("e")
    if not marked or not exponent:
        return f"this is text, not a number; write {text.strip()} without quotes"
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    sign = "" if exponent[0] in "+-" else "+"
    return (
        "this is text, not a number; YAML reads an exponent only after a point and with its sign, so "
        "write " + (f"{value!r} or " if "e" not in repr(value) else "") + f"{mantissa}e{sign}{exponent}"
    )
