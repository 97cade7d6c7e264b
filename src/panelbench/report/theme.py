"""The look of every figure: one matplotlib theme, two layouts, SVG files with the same bytes each time."""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas
from matplotlib.figure import FigureBase
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from panelbench.report import words
from panelbench.report.colours import GRID, INK, MUTED
from panelbench.report.section import FIGURES, Figure

POINTS = 0.75
"""Points in a CSS pixel."""

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

RC: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "panelbench",
    "font.family": "DejaVu Sans",
    "font.size": 12 * POINTS,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": "#9aa2ad",
    "axes.labelcolor": MUTED,
    "axes.labelsize": 12 * POINTS,
    "axes.titlesize": 12.5 * POINTS,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 6 * POINTS,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": "#9aa2ad",
    "ytick.color": "#9aa2ad",
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 11.5 * POINTS,
    "ytick.labelsize": 11.5 * POINTS,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "lines.linewidth": 1.5,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 11.5 * POINTS,
    "figure.dpi": 96,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 4 * POINTS / 72,
    "figure.constrained_layout.w_pad": 4 * POINTS / 72,
}


@dataclass(frozen=True)
class Layout:
    """How much room a figure has; sizes in CSS pixels."""

    name: str
    width: int

    @property
    def narrow(self) -> bool:
        """Whether the figure is for a telephone."""
        return self.name == "narrow"

    def columns(self, panels: int, wide: int) -> int:
        """Return how many panels stand beside each other: `wide`, or one or two on a narrow screen."""
        return max(1, min(panels, (2 if wide > 3 else 1) if self.narrow else wide))


WIDE = Layout("wide", 800)
NARROW = Layout("narrow", 356)
LAYOUTS = (WIDE, NARROW)

Painter = Callable[[Layout], Canvas]


def draw(name: str, alt: str, caption: str, paint: Painter, folder: str = FIGURES) -> Figure:
    """Draw a figure once a layout.

    Parameters
    ----------
    name, alt, caption
        As in `Figure`; `alt` may be a Markdown sentence, its marks are taken off.
    paint
        Makes the matplotlib figure for a layout; called inside the theme.
    folder
        As in `Figure`.
    """
    images = {}
    for layout in LAYOUTS:
        with mpl.rc_context(RC), warnings.catch_warnings():
            # A name in another script has no glyph in the measuring font; the reader's fonts have it.
            warnings.filterwarnings("ignore", message=".*Glyph .* missing")
            # Few ticks are asked for on purpose; what the locator falls back to is still few.
            warnings.filterwarnings("ignore", message="AutoDateLocator was unable to pick")
            images[layout.name] = to_svg(paint(layout))
    return Figure(name, words.plain(alt), caption, images, folder)


def canvas(
    layout: Layout, height: float, rows: int = 1, columns: int = 1, **options: Any
) -> tuple[Canvas, NDArray[Any]]:
    """Return an empty figure, the layout's width by `height` pixels, with axes (rows, columns)."""
    figure = Canvas(figsize=(layout.width / 96, height / 96))
    FigureCanvasSVG(figure)
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def to_svg(figure: Canvas) -> str:
    """Return the figure as SVG text that depends on nothing but its content."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue().decode("utf-8")
    # Text stays text in the reader's own sans-serif; DejaVu Sans, which measured it, is wider than those.
    text = text.replace("'DejaVu Sans'", FONTS)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return _stable_clips(re.sub(r"<!--.*?-->\s*", "", text))


def _stable_clips(text: str) -> str:
    """Name each clip path by what it draws.

    Matplotlib names them by the full digits of a layout whose last ones vary from run to run, though the
    numbers written are the same.
    """
    defined = re.compile(r'<clipPath id="(\w+)">\s*(.*?)\s*</clipPath>\s*', re.DOTALL)
    names = {
        name: "clip" + hashlib.sha256(content.encode()).hexdigest()[:10]
        for name, content in defined.findall(text)
    }
    seen: set[str] = set()

    def once(found: re.Match[str]) -> str:
        name = names[found[1]]
        repeated = name in seen
        seen.add(name)
        return "" if repeated else f'<clipPath id="{name}">{found[2]}</clipPath>\n'

    text = defined.sub(once, text)
    return re.sub(r"url\(#(\w+)\)", lambda found: f"url(#{names.get(found[1], found[1])})", text)


def thousands(axis: Any) -> None:
    """Label an axis with thousands separators."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: words.tick(value)))


def few_ticks(axes: Axes, layout: Layout, which: str = "x") -> None:
    """Keep the number of ticks readable at the layout's width."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(MaxNLocator(4 if layout.narrow else 7, steps=[1, 2, 2.5, 5, 10]))
    thousands(axis)


def error_axis(axes: Axes, layout: Layout, label: str, which: str = "x") -> None:
    """Make an axis one of errors: from zero where bars stand on it, few ticks, the unit in the label."""
    few_ticks(axes, layout, which)
    (axes.set_xlabel if which == "x" else axes.set_ylabel)(label)


def row_labels(
    axes: Axes, labels: Sequence[str], layout: Layout, places: Sequence[float] | None = None
) -> None:
    """Name the rows of a horizontal chart: at the left, or above each where space is short.

    Rows stand at 0, 1, 2 ... where no `places` are given.
    """
    places = range(len(labels)) if places is None else places
    if not layout.narrow:
        axes.set_yticks(places, labels)
        return
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    for row, label in zip(places, labels, strict=True):
        axes.text(
            0.0,
            row - 0.34,
            label,
            transform=axes.get_yaxis_transform(),
            ha="left",
            va="bottom",
            fontsize=11.5 * POINTS,
        )


def bare(axes: Axes, *, grid: str | None = None) -> None:
    """Take off the frame, and every grid line but those of one axis."""
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.grid(False)
    if grid:
        axes.grid(True, axis=grid)  # type: ignore[arg-type]
    axes.tick_params(length=0)


def legend_above(figure: FigureBase, axes: Axes, ncols: int | None, **spacing: float) -> None:
    """Name one picture's lines above all pictures of the figure; in a single row where `ncols` is None."""
    handles, texts = axes.get_legend_handles_labels()
    ncols = len(handles) if ncols is None else ncols
    figure.legend(handles, texts, loc="outside upper left", ncols=ncols, borderaxespad=0, **spacing)


def apart(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move labels apart as little as possible so that neighbours are at least `gap` from each other.

    Isotonic regression of the positions, each shifted by its rank's multiple of the gap (pool adjacent
    violators), which is the least-squares solution; then kept between `low` and `high`.
    """
    order = np.argsort(np.asarray(positions, dtype=float), kind="stable")
    wanted = [float(positions[i]) - rank * gap for rank, i in enumerate(order)]
    blocks: list[list[float]] = []
    for value in wanted:
        blocks.append([value, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            value_b, count_b = blocks.pop()
            value_a, count_a = blocks.pop()
            total = count_a + count_b
            blocks.append([(value_a * count_a + value_b * count_b) / total, total])
    levels = [value for value, count in blocks for _ in range(int(count))]
    placed = [0.0] * len(order)
    top = high - (len(order) - 1) * gap
    for rank, i in enumerate(order):
        placed[i] = max(low, min(levels[rank], max(top, low))) + rank * gap
    return placed
