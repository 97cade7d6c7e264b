"""The leaderboard's strips: one small SVG a model, all on one axis, so that a column of them is one plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape  # nosec B406 # writes, parses nothing

import numpy as np
from matplotlib.ticker import MaxNLocator

from panelbench.report import words
from panelbench.report.colours import ALARM, BASELINE, GRID, MUTED, Look
from panelbench.report.theme import FONTS

WIDTH, HEIGHT, PAD = 280, 84, 10
"""Pixels. A strip is taller than any row; the style sheet crops it, so that lines run through all rows."""

HEADER = 36
OFF_SCALE = 2.5
"""A model whose mean error is beyond this multiple of the best one may leave the axis, marked by an arrow."""


@dataclass(frozen=True)
class Row:
    """One model's errors: mean, one value a seed, and the interval of the mean where there is one."""

    mean: float
    seeds: Sequence[float]
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Axis:
    """The axis that all strips share, with the baselines' errors as reference lines."""

    low: float
    high: float
    ticks: tuple[float, ...]
    references: tuple[float, ...]

    def x(self, value: float) -> float:
        """Return a value's horizontal position in pixels."""
        return PAD + (WIDTH - 2 * PAD) * (value - self.low) / (self.high - self.low)

    def holds(self, value: float) -> bool:
        """Whether the value lies on the axis."""
        return self.low <= value <= self.high


def limit(means: Sequence[float]) -> float:
    """Return the largest mean error that figures draw to scale; at least three of four models stay inside."""
    return max(OFF_SCALE * min(means), float(np.quantile(means, 0.75)))


def make_axis(rows: Sequence[Row], references: Sequence[float]) -> Axis:
    """Choose the axis: everything drawn for the models within `limit`."""
    best = min(row.mean for row in rows)
    near = [row for row in rows if row.mean <= limit([other.mean for other in rows])]
    values = [
        value for row in near for value in (row.mean, *row.seeds, row.low, row.high) if value is not None
    ]
    low, high = min(values), max(values)
    # An interval from two seeds can be absurdly wide; it may run off the axis, the seeds may not.
    seeds = [value for row in near for value in (row.mean, *row.seeds)]
    room = max(max(seeds) - min(seeds), 0.02 * abs(best), 1e-9)
    low, high = max(low, min(seeds) - 0.35 * room, 0.0), min(high, max(seeds) + 0.35 * room)
    margin = 0.04 * (high - low) or 0.05 * abs(best) or 1.0
    low, high = max(0.0, low - margin), high + margin
    ticks = tuple(
        float(tick)
        for tick in MaxNLocator(7, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        if low <= tick <= high
    )
    return Axis(low, high, ticks, tuple(value for value in references if low <= value <= high))


def header(axis: Axis, label: str) -> str:
    """Return the axis itself under its label, for the head of the column."""
    parts = []
    last = -100.0
    for tick in axis.ticks:
        x, text = axis.x(tick), words.tick(tick)
        half = 3.4 * len(text)
        if x - half < last + 6:
            continue
        last = x + half
        anchor = "start" if x - half < 0 else "end" if x + half > WIDTH else "middle"
        parts.append(f'<text x="{x:.1f}" y="{HEADER - 5}" text-anchor="{anchor}">{text}</text>')
    title = f'<text x="{WIDTH / 2}" y="13" text-anchor="middle" font-weight="600">{escape(label)}</text>'
    style = f'font-family="{FONTS}" font-size="12" fill="{MUTED}"'
    return _svg(f"<g {style}>{title}{''.join(parts)}</g>", HEADER)


def strip(row: Row, axis: Axis, look: Look) -> str:
    """Return one model's strip: reference lines, a tick a seed, the interval and the mean."""
    middle = HEIGHT / 2
    parts = [_line(axis.x(tick), 0, axis.x(tick), HEIGHT, GRID, 1) for tick in axis.ticks]
    parts += [
        _line(axis.x(value), 0, axis.x(value), HEIGHT, BASELINE, 1, dash="3 3") for value in axis.references
    ]
    if row.mean > axis.high:
        parts.append(_arrow(middle, look.colour))
        return _svg("".join(parts), HEIGHT)
    if len(row.seeds) > 1:
        parts += [
            _line(axis.x(value), middle - 10, axis.x(value), middle + 10, look.colour, 2, opacity=0.38)
            for value in row.seeds
            if axis.holds(value)
        ]
    if row.low is not None and row.high is not None:
        left, right = (axis.x(min(max(value, axis.low), axis.high)) for value in (row.low, row.high))
        parts.append(_line(left, middle, right, middle, look.colour, 2.5))
    parts.append(_mark(axis.x(row.mean), middle, look.colour, diamond=len(row.seeds) == 1))
    return _svg("".join(parts), HEIGHT)


def failed() -> str:
    """Return the strip of a model without a finished seed."""
    style = f'font-family="{FONTS}" font-size="12" fill="{ALARM}"'
    return _svg(f'<text x="{PAD}" y="{HEIGHT / 2 + 4}" {style}>no seed finished</text>', HEIGHT)


def _svg(content: str, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}">{content}</svg>\n'
    )


def _line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    colour: str,
    width: float,
    *,
    dash: str = "",
    opacity: float = 1,
) -> str:
    extra = (f' stroke-dasharray="{dash}"' if dash else "") + (
        f' stroke-opacity="{opacity}"' if opacity < 1 else ""
    )
    return (
        f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" '
        f'stroke="{escape(colour)}" stroke-width="{width}"{extra}/>'
    )


def _mark(x: float, y: float, colour: str, *, diamond: bool) -> str:
    if diamond:
        path = f"M{x:.2f} {y - 6.5:.2f}L{x + 6.5:.2f} {y:.2f}L{x:.2f} {y + 6.5:.2f}L{x - 6.5:.2f} {y:.2f}Z"
        return f'<path d="{path}" fill="{colour}" stroke="#fff" stroke-width="1"/>'
    return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="5" fill="{colour}" stroke="#fff" stroke-width="1"/>'


def _arrow(y: float, colour: str) -> str:
    end = WIDTH - PAD + 4
    head = f'<path d="M{end} {y}l-8 -5v10z" fill="{colour}"/>'
    return _line(end - 34, y, end - 8, y, colour, 2) + head
