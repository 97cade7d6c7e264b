"""Numbers inside the sentences of judgements: rounded, with thousands separators and a true minus sign."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"


def figure(value: float, kind: str = "value") -> str:
    """Return a figure as text: four significant digits, a share as a percentage, a count in full."""
    if kind == "share":
        return f"{figure(100 * value)}%"
    if value == 0:
        return "0"
    if abs(value) < 1e-3:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}".replace("-", MINUS)
    digits = 0 if kind == "count" else max(0, 3 - math.floor(math.log10(abs(value))))
    text = f"{value:z,.{min(digits, 6)}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", MINUS)


def signed(value: float, kind: str = "value") -> str:
    """Return a figure with its sign."""
    return figure(value, kind) if value <= 0 else f"+{figure(value, kind)}"


def interval(low: float, high: float, kind: str = "value") -> str:
    """Return "low to high", each rounded to what the interval's half-width supports.

    An end that this would round to zero is given more digits: on which side of zero it lies decides.
    """
    factor, sign = (100, "%") if kind == "share" else (1, "")
    half = factor * (high - low) / 2
    ends = (factor * low, factor * high)
    digits = min(8, max(0, 1 - math.floor(math.log10(half)))) if half > 0 else 4
    while digits < 8 and any(end != 0 and round(end, digits) == 0 for end in ends):
        digits += 1
    # z: no minus before what is zero all the same
    return " to ".join(f"{end:z,.{digits}f}{sign}".replace("-", MINUS) for end in ends)


def runs(n: int) -> str:
    """Return "1 run" or "6 runs"."""
    return f"{n} run" if n == 1 else f"{n:,} runs"
