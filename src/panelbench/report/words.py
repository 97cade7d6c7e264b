"""Numbers and sentences as a reader expects them: rounded to what they support, with thousands separators."""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

PLUS_MINUS = "±"
MINUS = "\N{MINUS SIGN}"
NARROW_SPACE = "\N{NO-BREAK SPACE}"
MISSING = "\N{EN DASH}"

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def decimals_for(spread: float, digits: int = 2) -> int:
    """Return how many decimals a number with this spread supports; negative means tens, hundreds ...

    The spread itself keeps `digits` significant digits, and the number ends where its spread ends:
    85 gives 0, 852 gives -1, 0.123 gives 2.
    """
    if not math.isfinite(spread) or spread <= 0:
        return 0
    decimals = digits - 1 - math.floor(math.log10(spread))
    # 99.6 rounds to 100, which has one digit more than it had before.
    if round(spread, decimals) >= 10 ** (math.floor(math.log10(spread)) + 1):
        decimals -= 1
    return min(decimals, 12)


def number(value: float | None, decimals: int | None = None) -> str:
    """Return a number with thousands separators and a true minus sign.

    Parameters
    ----------
    value
        The number; None and NaN become a dash.
    decimals
        Decimals to keep, negative for tens and hundreds; without it four significant digits are kept,
        and whole numbers are never cut.
    """
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "infinite"
    if decimals is None:
        decimals = min(max(0, decimals_for(abs(value), 4)), 6) if value else 0
    rounded = round(float(value), decimals)
    if rounded == 0:
        rounded = 0.0
    return f"{rounded:,.{max(0, decimals)}f}".replace("-", MINUS)


def tick(value: float) -> str:
    """Return an axis label: thousands separators, and only the decimals that the value has."""
    text = number(value, min(max(0, decimals_for(abs(value), 6)), 6) if value else 0)
    return text.rstrip("0").rstrip(".") if "." in text else text


def with_spread(value: float, spread: float | None) -> str:
    """Return a value as far as its spread supports: (1044.75, 85.2) gives "1,045".

    Never more than four significant digits after the point, however small the spread.
    """
    if not spread:
        return number(value)
    usual = min(max(0, decimals_for(abs(value), 4)), 6) if value else 0
    return number(value, min(decimals_for(spread), usual))


def spread(value: float | None) -> str:
    """Return a spread with two significant digits: 852 gives "850"."""
    return MISSING if value is None else number(value, decimals_for(value))


def signed(value: float, decimals: int | None = None) -> str:
    """Return a difference with its sign always shown."""
    text = number(value, decimals)
    return text if text.startswith(MINUS) or not text.strip("0.,") else f"+{text}"


def gap(value: float, half: float | None = None) -> str:
    """Return a difference with its sign, rounded to what its interval's half-width supports.

    Never to fewer than two significant digits (within two places of the half-width's), so that it agrees with
    the difference of the two errors that a reader finds elsewhere on the page.
    """
    if not half:
        return signed(value)
    usual = decimals_for(half)
    return signed(value, min(max(usual, decimals_for(abs(value))), usual + 2) if value else usual)


def interval(low: float, high: float, *, sign: bool = False) -> str:
    """Return "low to high", both rounded to what the interval's half-width supports.

    An end that would read 0 without being 0 keeps one digit: which side of zero it lies on decides.
    """
    decimals = decimals_for((high - low) / 2)
    show = signed if sign else number

    def end(value: float) -> str:
        if not value or round(value, decimals):
            return show(value, decimals)
        return show(value, min(decimals_for(abs(value), 1), decimals + 3))

    return f"{end(low)} to {end(high)}"


def percent(share: float, decimals: int = 0) -> str:
    """Return a share as a percentage; a share that would read 0 % or 100 % without being so says so."""
    value = 100 * share
    step = 10**-decimals
    if 0 < value < step / 2:
        return f"under {number(step, decimals)}%"
    if 100 - step / 2 < value < 100:
        return f"over {number(100 - step, decimals)}%"
    return f"{number(value, decimals)}%"


def p_value(p: float | None) -> str:
    """Return a p value with two decimals, three below 0.1; very small ones as a bound."""
    if p is None or math.isnan(p):
        return MISSING
    return "under 0.001" if p < 0.001 else number(p, 3 if p < 0.0995 else 2)


def duration(seconds: float | None) -> str:
    """Return a duration in the unit a person would use: "0.2 s", "95 s", "4.5 min", "2.1 h"."""
    if seconds is None or math.isnan(seconds):
        return MISSING
    if seconds < 0.05:
        return f"under 0.1{NARROW_SPACE}s"
    for limit, divisor, unit in ((300, 1, "s"), (7200, 60, "min"), (math.inf, 3600, "h")):
        if seconds < limit:
            value = seconds / divisor
            return f"{number(value, 0 if value >= 9.95 else 1)}{NARROW_SPACE}{unit}"
    return MISSING


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return "1 seed" or "6 seeds"."""
    return f"{number(count, 0)} {one if count == 1 else many or one + 's'}"


def plural_of(noun: str) -> str:
    """Return "weeks" or "patches"."""
    return f"{noun}es" if noun.endswith("ch") else f"{noun}s"


def of_seeds(counts: Sequence[int]) -> str:
    """Return "n = 6 seeds" or "n = 3 to 6 seeds"; "one run each" where nobody has several."""
    if not counts or counts[-1] == 1:
        return "one run each"
    low, high = counts[0], counts[-1]
    return f"n = {low} seeds" if low == high else f"n = {low} to {high} seeds"


def listing(items: Iterable[str], limit: int | None = None) -> str:
    """Return "a, b and c"; beyond `limit` items the rest is counted: "a, b and 3 more".

    Where an item has a comma of its own, outside quotation marks, items are set apart by semicolons.
    """
    names: Sequence[str] = list(items)
    if limit is not None and len(names) > limit + 1:
        names = [*names[:limit], f"{len(names) - limit} more"]
    if len(names) < 2:
        return "".join(names)
    comma = any("," in re.sub(r"“[^”]*”", "", name) for name in names)
    return (
        f"{'; '.join(names[:-1])}; and {names[-1]}" if comma else f"{', '.join(names[:-1])} and {names[-1]}"
    )


def capital(text: str) -> str:
    """Return `text` with its first letter in upper case and the rest as it was."""
    return text[:1].upper() + text[1:]


def quoted(name: str) -> str:
    """Return a name as it stands in a sentence: in quotation marks where it has a comma of its own."""
    return f"“{name}”" if "," in name else name


def lower_first(text: str) -> str:
    """Return `text` with its first letter in lower case, unless the first word is all capitals."""
    word = text.split(maxsplit=1)[0] if text.strip() else ""
    return text if len(word) > 1 and word.isupper() else text[:1].lower() + text[1:]


def printable(text: object) -> str:
    """Return text on one line without control characters, which neither SVG nor HTML can carry."""
    cleaned = "".join(
        " " if unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"} else letter for letter in str(text)
    )
    # Direction overrides and other invisible format characters can make a name read as another one.
    return "".join(letter for letter in cleaned if unicodedata.category(letter) != "Cf").strip()


def shorten(text: object, length: int = 36) -> str:
    """Return text on one line with at most `length` characters, the end replaced by an ellipsis."""
    line = printable(text)
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def wrap(text: object, width: int, lines: int = 2) -> str:
    """Return text in at most `lines` lines of `width` characters, the end replaced by an ellipsis."""
    return "\n".join(textwrap.wrap(printable(text), width, max_lines=lines, placeholder="…")) or " "


def escape(text: object) -> str:
    r"""Return text that Markdown and HTML show literally: every ASCII punctuation mark gets a backslash."""
    return _PUNCTUATION.sub(r"\\\1", printable(text))


def plain(markdown: str) -> str:
    """Return a sentence without Markdown's backslashes and emphasis, for alt texts and figures."""
    unstarred = re.sub(r"(?<!\\)[*`]", "", markdown)
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", unstarred)


def code(text: object) -> str:
    """Return text as a Markdown code span that no content can end early."""
    line = printable(text)
    if "{{" in line:  # Quarto looks for its shortcodes in code, too
        return escape(line)
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line.replace('|', chr(0x2502)) or ' '}{pad}{fence}"
