"""Put names at points without covering other names or points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from panelbench.report.theme import POINTS, apart

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


@dataclass(frozen=True)
class Label:
    """A name and where it belongs, in data coordinates."""

    x: float
    y: float
    text: str
    colour: str

    def size(self) -> tuple[float, float]:
        """Return the width and height of the text in pixels; it may have several lines."""
        lines = self.text.split("\n")
        return LETTER * max(map(len, lines)), LINE * len(lines)


def place(
    axes: Axes,
    points: Sequence[Label],
    bars: Sequence[tuple[float, float, float]] = (),
    lines: Sequence[Label] = (),
) -> None:
    """Write each name beside its point, and each line's name above or below it, where they cover least.

    Candidates are tried in a fixed order (right, left, above and below the point's bar, then further up and
    down, with a thin line back to the point), so the same points give the same picture.

    Parameters
    ----------
    axes
        Its limits must be final; the figure's layout is worked out here and then kept.
    points
        Names of points.
    bars
        Vertical bars (x, low, high) that names should keep clear of.
    lines
        Names of horizontal lines through the whole width, at their `y`.
    """
    figure = axes.figure
    figure.draw_without_rendering()  # type: ignore[union-attr]
    figure.set_layout_engine("none")  # type: ignore[union-attr]
    scale = 96 / figure.dpi
    frame = Box(*(float(v) * scale for v in axes.get_window_extent().extents))

    def pixel(x: float, y: float) -> tuple[float, float]:
        across, up = axes.transData.transform((x, y))
        return float(across) * scale, float(up) * scale

    left_edge = axes.get_xlim()[0]
    at = {label: pixel(label.x, label.y) for label in points}
    heights = [pixel(left_edge, label.y)[1] for label in lines]
    taken = [Box(x - 6, y - 6, x + 6, y + 6) for x, y in at.values()]
    taken += [
        Box(pixel(x, low)[0] - 3, pixel(x, low)[1], pixel(x, high)[0] + 3, pixel(x, high)[1])
        for x, low, high in bars
    ]
    ends = {x: (pixel(x, low)[1], pixel(x, high)[1]) for x, low, high in bars}
    taken += [Box(frame.left, y - 1, frame.right, y + 1) for y in heights]
    for label, y in zip(lines, heights, strict=True):
        box = _cheapest(_beside_line(frame, y, *label.size()), taken, frame)
        taken.append(box)
        _write(axes, label, (frame.left, y), box, pixel_of=(left_edge, label.y))
    for label, (x, y) in at.items():
        box = _cheapest(_candidates(x, y, *label.size(), ends.get(label.x)), taken, frame)
        taken.append(box)
        _write(axes, label, (x, y), box, pixel_of=(label.x, label.y))


def at_the_end(axes: Axes) -> None:
    """Write each line's label beside its last point, in its colour; labels keep clear of each other.

    The axes' limits must be final.
    """
    lines = [line for line in axes.get_lines() if not str(line.get_label()).startswith("_")]
    low, high = axes.get_ylim()
    pixels = axes.get_window_extent().height * 96 / axes.figure.dpi
    step = LINE * (high - low) / pixels
    ends = [float(line.get_ydata()[-1]) for line in lines]  # type: ignore[index, arg-type]
    for line, end, at in zip(lines, ends, apart(ends, step, low, high), strict=True):
        axes.annotate(
            str(line.get_label()),
            (1.0, end),
            xycoords=axes.get_yaxis_transform(),
            xytext=(12, (at - end) / step * LINE * POINTS),
            textcoords="offset points",
            va="center",
            color=line.get_color(),
            fontsize=11.5 * POINTS,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": line.get_color(),
                "lw": 0.6,
                "shrinkA": 0,
                "shrinkB": 0,
                "relpos": (0.0, 0.5),
            },
        )


def _cheapest(candidates: Sequence[Box], taken: Sequence[Box], frame: Box) -> Box:
    return min(enumerate(candidates), key=lambda item: _cost(item[1], taken, frame) + 2.0 * item[0])[1]


def _write(
    axes: Axes, label: Label, point: tuple[float, float], box: Box, pixel_of: tuple[float, float]
) -> None:
    """Write a name in its box, with a thin line to its point where the box is not beside it."""
    left = box.left >= point[0]
    centre, middle = (box.left + box.right) / 2, (box.bottom + box.top) / 2
    centred = abs(centre - point[0]) < 0.5
    anchor = centre if centred else box.left if left else box.right
    side = "center" if centred else "left" if left else "right"
    moved = abs(middle - point[1]) > LINE and not centred
    axes.annotate(
        label.text,
        pixel_of,
        xytext=((anchor - point[0]) * POINTS, (middle - point[1]) * POINTS),
        textcoords="offset points",
        ha=side,
        va="center",
        multialignment=side,
        linespacing=1.1,
        color=label.colour,
        fontsize=11.5 * POINTS,
        arrowprops={
            "arrowstyle": "-",
            "color": label.colour,
            "lw": 0.6,
            "shrinkA": 1,
            "shrinkB": 4,
            "relpos": (0.0 if left else 1.0, 0.5),  # from the near end: not across names below or above
        }
        if moved
        else None,
    )


def _beside_line(frame: Box, y: float, width: float, height: float) -> list[Box]:
    """Return places just above and just below a line, from the left to the right."""
    starts = [frame.left + 6 + step * (frame.right - frame.left) / 8 for step in range(7)]
    return [
        Box(start, y + offset - height / 2, start + width, y + offset + height / 2)
        for start in starts
        for offset in (height / 2 + 2, -height / 2 - 2)
    ]


def _candidates(
    x: float, y: float, width: float, height: float, bar: tuple[float, float] | None
) -> list[Box]:
    """Return places for a name, the most wanted first; `bar` has the ends of the point's own bar."""
    boxes: list[Box] = []
    for level in (0, 0.8, -0.8, 1.6, -1.6, 2.4, -2.4, 3.2, -3.2, 4.0, -4.0, 5.0, -5.0, 6.0, -6.0):
        middle = y + level * LINE
        boxes += [
            Box(start, middle - height / 2, start + width, middle + height / 2)
            for start in (x + 10, x + 26, x + 42, x - 10 - width)
        ]
    if bar is not None:
        left, right = x - width / 2, x + width / 2
        boxes[12:12] = [
            Box(left, bar[1] + 3, right, bar[1] + 3 + height),
            Box(left, bar[0] - 3 - height, right, bar[0] - 3),
        ]
    return boxes


def _cost(box: Box, taken: Sequence[Box], frame: Box) -> float:
    """Return the area covered twice, and ten times the area outside the axes."""
    area = (box.right - box.left) * (box.top - box.bottom)
    outside = area - box.overlap(frame)
    return sum(box.overlap(other) for other in taken) + 10 * outside
