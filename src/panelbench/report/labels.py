"""Put names at points without covering other names or points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from panelbench.report.theme import POINTS

LETTER = 6.3
"""Mean width in pixels of a letter at 11.5 pixels, generous for most sans-serif fonts."""
LINE = 14.0


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels, y upwards."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Box) -> float:
        """Return the area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(width, 0.0) * max(height, 0.0)


def place(axes: Axes, points: Sequence[tuple[float, float]], names: Sequence[str], colours: Sequence[str]) -> None:
    """Write each name beside its point, where it covers least.

    Candidates are tried in a fixed order (right, left, then further up and down, with a thin line back to
    the point), so the same points give the same picture.

    Parameters
    ----------
    axes
        Its limits must be final; the figure's layout is worked out here and then kept.
    points
        In data coordinates.
    """
    figure = axes.figure
    figure.draw_without_rendering()  # type: ignore[union-attr]
    figure.set_layout_engine("none")  # type: ignore[union-attr]
    scale = 96 / figure.dpi
    pixels = [tuple(float(v) * scale for v in axes.transData.transform(point)) for point in points]
    frame = Box(*(float(v) * scale for v in axes.get_window_extent().extents))
    taken = [Box(x - 5, y - 5, x + 5, y + 5) for x, y in pixels]
    for (x, y), name, colour in zip(pixels, names, colours, strict=True):
        width = LETTER * len(name)
        best = min(
            enumerate(_candidates(x, y, width)),
            key=lambda item: (_cost(item[1], taken, frame) + 2.0 * item[0]),
        )[1]
        taken.append(best)
        left = best.left >= x
        anchor = best.left if left else best.right
        middle = (best.bottom + best.top) / 2
        moved = abs(middle - y) > LINE
        axes.annotate(
            name,
            axes.transData.inverted().transform((x / scale, y / scale)),
            xytext=((anchor - x) * POINTS, (middle - y) * POINTS),
            textcoords="offset points",
            ha="left" if left else "right",
            va="center",
            color=colour,
            fontsize=11.5 * POINTS,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6, "shrinkA": 1, "shrinkB": 4} if moved else None,
        )


def _candidates(x: float, y: float, width: float) -> list[Box]:
    boxes = []
    for level in (0, 0.8, -0.8, 1.6, -1.6, 2.4, -2.4, 3.2, -3.2, 4.0, -4.0, 5.0, -5.0, 6.0, -6.0):
        middle = y + level * LINE
        for start in (x + 10, x - 10 - width):
            boxes.append(Box(start, middle - LINE / 2, start + width, middle + LINE / 2))
    return boxes


def _cost(box: Box, taken: Sequence[Box], frame: Box) -> float:
    """Return the area covered twice, and ten times the area outside the axes."""
    area = (box.right - box.left) * (box.top - box.bottom)
    outside = area - box.overlap(frame)
    return sum(box.overlap(other) for other in taken) + 10 * outside
