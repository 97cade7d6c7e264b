"""The panel: what was forecast."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas
from numpy.typing import NDArray

from panelbench.panel.panel import Panel
from panelbench.report import dates, theme, words
from panelbench.report.colours import INK, SHADE
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details, table
from panelbench.report.theme import Layout

Float = NDArray[np.float64]
SHOWN = 6
CHUNK = 4096
"""Series looked at together, so that a panel of many needs little more memory than itself."""


def build(data: ReportData) -> Section:
    """Make the section."""
    panel, info = data.panel, data.panel.info
    share = between_share(panel.y)
    seasonal = autocorrelation(panel.y, info.season)
    near = autocorrelation(panel.y, 1)
    sentence = (
        f"{words.capital(words.escape(data.target))} of {words.plural(panel.n_series, 'series', 'series')} "
        f"over {data.periods(panel.n_steps)}"
        + (f": {words.percent(share)} of all variance is between series" if panel.n_series > 1 else "")
    )
    if near is not None:
        sentence += (
            f"{', and within a series' if panel.n_series > 1 else ':'} one {data.period} says "
            f"{_strength(near)} about the next{_direction(near, data.period)} "
            f"(autocorrelation {words.number(near, 2)})"
        )
    chosen = by_size(panel, SHOWN)
    alone = panel.n_series == 1
    which = (
        "The series"
        if alone
        else f"{words.capital(words.plural(len(chosen), 'series', 'series'))} of "
        f"{words.number(panel.n_series, 0)}, evenly spaced in the order of their mean, largest first; each "
        f"has its own scale{', from zero' if panel.y[chosen].min() >= 0 else ''}"
    )
    caption = (
        f"{which} ({words.escape(data.unit)}). "
        f"Shaded: the test block, the last {data.periods(data.comparison.test.n_periods)}."
    )
    shown = "the series" if alone else f"{len(chosen)} series, largest to smallest,"
    alt = f"{sentence}; {shown} with the test block shaded at the right."
    figure = theme.draw("panel", alt, caption, lambda layout: _paint(data, chosen, layout))
    return Section("panel", "The panel", f"{sentence}.", _body(data, seasonal), (figure,))


def by_size(panel: Panel, count: int) -> list[int]:
    """Return `count` series evenly spaced in the order of their mean, the largest and smallest included."""
    order = np.argsort(-panel.y.mean(axis=1), kind="stable")
    ranks = np.unique(np.linspace(0, panel.n_series - 1, min(count, panel.n_series)).round().astype(int))
    return [int(order[rank]) for rank in ranks]


def between_share(y: Float) -> float:
    """Return the share of the (S, T) panel's variance that lies between the series' means, 0 to 1."""
    total = float(y.var())
    return float(y.mean(axis=1).var()) / total if total > 0 else 0.0


def autocorrelation(y: Float, lag: int) -> float | None:
    """Return the mean over series of the autocorrelation at `lag`; None where it is undefined."""
    if lag >= y.shape[1] - 1:
        return None
    floor = 1e-12 * max(1.0, -float(y.min()), float(y.max())) ** 2
    total, count = 0.0, 0
    for start in range(0, len(y), CHUNK):
        centred = y[start : start + CHUNK] - y[start : start + CHUNK].mean(axis=1, keepdims=True)
        variance = (centred**2).sum(axis=1)
        moving = variance > floor
        products = (centred[:, lag:] * centred[:, :-lag]).sum(axis=1)
        total += float((products[moving] / variance[moving]).sum())
        count += int(moving.sum())
    return total / count if count else None


def _strength(value: float) -> str:
    return "much" if abs(value) >= 0.6 else "something" if abs(value) >= 0.2 else "little"


def _direction(value: float, period: str) -> str:
    """Say what a negative autocorrelation means, which "says something about the next" hides."""
    return f", a good {period} tending to be followed by a poor one" if value <= -0.2 else ""


def _paint(data: ReportData, chosen: list[int], layout: Layout) -> Canvas:
    panel = data.panel
    columns = layout.columns(len(chosen), 3)
    rows = -(-len(chosen) // columns)
    figure, grid = theme.canvas(
        layout, rows * (150 if not layout.narrow else 112) + 10, rows, columns, sharex=True
    )
    for axes in grid.flat[len(chosen) :]:
        axes.set_visible(False)
    start = panel.dates[data.split.valid_end] if data.split.valid_end < panel.n_steps else panel.dates[-1]
    for axes, series in zip(grid.flat, chosen, strict=False):
        axes.axvspan(start, panel.dates[-1], color=SHADE, lw=0)
        axes.plot(panel.dates, panel.y[series], color=INK, lw=1.1)
        axes.set_title(words.shorten(panel.series[series], 26))
        axes.set_ylim(min(0.0, float(panel.y[series].min()) * 1.05), None)
        axes.margins(x=0.01)
        theme.few_ticks(axes, theme.NARROW, "y")
        dates.time_axis(axes, layout, few=columns > 1)
    for axes in grid[:, 0]:
        axes.set_ylabel(words.capital(data.unit))
    return figure


def _body(data: ReportData, seasonal: float | None) -> str:
    info = data.panel.info
    help_text = (
        f"Series differ {'far ' if between_share(data.panel.y) > 0.8 else ''}more in size than they move, so "
        "an error pooled over all of them is mostly about the large ones; [where the error is](#where) shows "
        "by how much. "
        if data.panel.n_series > 1 and between_share(data.panel.y) > 0.5
        else ""
    )
    if seasonal is not None:
        help_text += (
            f"At a lag of one season ({data.periods(info.season)}) the autocorrelation is "
            f"{words.number(seasonal, 2)}"
            ": what repeating last season can hope for."
        )
    return f"{help_text}\n\n" + details("Counts, dates, autocorrelations and sources", _facts(data))


def _facts(data: ReportData) -> str:
    info, panel, split = data.panel.info, data.panel, data.split
    lags = sorted({1, 2, 4, info.season // 4, info.season // 2, info.season} - {0})
    found = [(lag, autocorrelation(panel.y, lag)) for lag in lags]
    rows = [
        ["Panel", words.escape(info.title)],
        ["Source", words.escape(info.source)],
        ["Target", f"{words.escape(info.target_name)} ({words.escape(info.unit)})"],
        [
            "Rows",
            f"{words.number(info.n_rows, 0)}: {words.plural(info.n_series, 'series', 'series')} of "
            f"{data.periods(info.n_steps)}",
        ],
        ["Dates", f"{_between(data, 0, panel.n_steps)}, frequency {words.escape(info.frequency)}"],
        ["Training", f"{data.periods(split.train_end)}, to {data.when(panel.dates[split.train_end - 1])}"],
        ["Validation", _block(data, split.train_end, split.valid_end)],
        ["Test", _block(data, split.valid_end, split.n_steps)],
        ["Known ahead", words.escape(", ".join(info.future)) or "none"],
        ["Known afterwards", words.escape(", ".join(info.past)) or "none"],
        ["Fixed per series", words.escape(", ".join(info.static)) or "none"],
        ["Zero values", words.number(info.zero_rows, 0)],
        ["Mean of the series' means", f"{words.number(float(panel.y.mean()))} {words.escape(info.unit)}"],
        ["Variance between series", words.percent(between_share(panel.y))],
        [
            "Autocorrelation by lag",
            "; ".join(f"{lag}: {words.number(value, 2)}" for lag, value in found if value is not None)
            or "undefined",
        ],
    ]
    notes = "\n".join(f"- {words.escape(note)}" for note in info.notes)
    return table(["Fact", "Value"], rows, "ll") + (f"\n{notes}\n" if notes else "")


def _block(data: ReportData, start: int, end: int) -> str:
    if end <= start:
        return "none"
    return f"{data.periods(end - start)}, {_between(data, start, end)}"


def _between(data: ReportData, start: int, end: int) -> str:
    """Return the first and the last period of `start` to `end` (exclusive)."""
    first, last = data.panel.dates[[start, end - 1]]
    return f"{data.when(first)} to {data.when(last)}"
