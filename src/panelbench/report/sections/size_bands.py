"""Models of one size side by side in a band, so that their bars do not cover each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes

from panelbench.report import words
from panelbench.report.colours import MUTED, SHADE
from panelbench.report.theme import POINTS, Layout

Point = tuple[float, float]
WIDEST = 4.0
"""Factor between the outermost points of one band, at most."""
ALIKE = 0.1
"""Counts whose logarithms are closer than this are one size in the picture."""


def clusters(counts: Sequence[float]) -> list[list[int]]:
    """Return the places of counts in `counts`, those of one size together, the smallest first."""
    order = sorted(range(len(counts)), key=lambda i: counts[i])
    found: list[list[int]] = []
    for i in order:
        if found and math.log(counts[i] / counts[found[-1][-1]]) < ALIKE:
            found[-1].append(i)
        else:
            found.append([i])
    return found


def step(points: Sequence[Point], layout: Layout) -> float:
    """Return the factor between points of one size: closer where many share it, to stay near the truth."""
    most = max(len(one) for one in clusters([x for x, _ in points]))
    return float(min(1.3 if layout.narrow else 1.2, WIDEST ** (1 / max(1, most - 1))))


def dodge(points: Sequence[Point], factor: float) -> list[Point]:
    """Set points with nearly the same count apart, so that their bars do not cover each other.

    By the fewest factors to one side or the other that keep clear of all points before.
    """
    placed: list[Point] = []
    for count, y in points:
        free = (
            count * factor**power
            for power in sorted(range(-len(points), len(points) + 1), key=abs)
            if all(abs(math.log(count / other, factor) + power) >= 0.98 for other, _ in placed)
        )
        placed.append((next(free, count), y))
    return placed


def paint(axes: Axes, points: Sequence[Point], placed: Sequence[Point], factor: float) -> None:
    """Shade each band and write its count at its foot; the axes' limits must be final, and get more room."""
    counts = [x for x, _ in points]
    bands = [one for one in clusters(counts) if len(one) > 1]
    if not bands:
        return
    low, high = axes.get_ylim()
    line = 0.045 * (high - low)
    right, row, ends = -math.inf, 0, []
    for one in bands:
        left, end = (pick(placed[i][0] for i in one) for pick in (min, max))
        axes.axvspan(left / factor**0.6, end * factor**0.6, color=SHADE, lw=0, zorder=-1)
        row = 1 - row if math.log10(left) - right < 0.5 else 0
        right = math.log10(end)
        ends.append((math.sqrt(left * end), row, [counts[i] for i in one]))
    deepest = 1 + max(row for _, row, _ in ends)
    axes.set_ylim(max(0.0, low) - deepest * line, high)
    for x, row, sizes in ends:
        texts = list(dict.fromkeys(words.number(size, 0) for size in (min(sizes), max(sizes))))
        axes.text(
            x, axes.get_ylim()[0] + (row + 0.5) * line, " to ".join(texts), ha="center", va="center",
            color=MUTED, fontsize=11 * POINTS,
        )  # fmt: skip

