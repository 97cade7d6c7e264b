"""Maps of attention: one square a layer and head, positions that look as rows, those looked at as columns."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure as Canvas
from numpy.typing import NDArray

from panelbench.report import theme, words
from panelbench.report.data import ReportData
from panelbench.report.section import Figure
from panelbench.report.stored import Attention
from panelbench.report.theme import Layout

Array = NDArray[np.float32]
BLUES = LinearSegmentedColormap.from_list("attention", ["#ffffff", "#9cc3e0", "#2b78b0", "#0b3a5e"])
HEADS_DRAWN = 8
PER_ROW = 4


def arrangement(weights: Array, layout: Layout) -> tuple[int, int, float]:
    """Return rows and columns of maps, and a map's side in pixels, for (..., layers, heads, L, L) weights."""
    layers, heads = weights.shape[-4], min(weights.shape[-3], HEADS_DRAWN)
    per_row = min(heads, PER_ROW)
    return layers * -(-heads // per_row), per_row, layout.width / per_row - 12


def paint(maps: NDArray[np.object_], weights: Array) -> None:
    """Draw (layers, heads, L, L) weights into axes arranged by `arrangement`; later heads are left out."""
    cells, per_row = maps.ravel(), maps.shape[1]
    for axes in cells:
        axes.set_axis_off()
    layers, heads = weights.shape[0], min(weights.shape[1], HEADS_DRAWN)
    rows_a_layer = -(-heads // per_row)
    for layer in range(layers):
        for head in range(heads):
            axes = cells[(layer * rows_a_layer + head // per_row) * per_row + head % per_row]
            axes.set_axis_on()
            axes.imshow(weights[layer, head], cmap=BLUES, vmin=0, interpolation="none", aspect="equal")
            axes.set_title(f"layer {layer + 1}, head {head + 1}", fontsize=7.8, fontweight="normal", pad=3)
            axes.set_xticks([])
            axes.set_yticks([])
            if axes is cells[0]:
                axes.set_ylabel("from", fontsize=7.8, labelpad=1)
                axes.set_xlabel("to", fontsize=7.8, labelpad=1)
            axes.grid(False)
            for spine in axes.spines.values():
                spine.set_visible(True)


def one_forecast(data: ReportData, found: Attention) -> Figure | None:
    """Draw the maps of one forecast; None where the file has no single windows."""
    if not found.example_weights.size:
        return None
    series = words.shorten(found.example_series[0])
    caption = (
        f"As above, for one forecast alone: {words.escape(series)}, last observed {data.period} "
        f"{origin(data, found.example_origin[0])}, seed {int(found.seeds[0])}. Where these maps differ from "
        "the mean, attention depends on the values in the window; where they do not, on positions only."
    )
    alt = f"Attention by layer and head for one forecast of {series}."
    return theme.draw("attention-one", alt, caption, lambda layout: _paint_one(found, layout))


def origin(data: ReportData, text: str) -> str:
    """Return the date of an origin as the page writes dates; anything else as it is stored."""
    try:
        return words.escape(data.when(np.datetime64(text)))
    except ValueError:
        return words.escape(text)


def _paint_one(found: Attention, layout: Layout) -> Canvas:
    rows, columns, side = arrangement(found.example_weights, layout)
    figure, grid = theme.canvas(layout, rows * (side + 16) + 10, rows, columns)
    paint(grid, found.example_weights[0])
    return figure
