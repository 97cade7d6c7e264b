"""Where the error is: which series and which periods rule the score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from panelbench.report import dates, theme, words
from panelbench.report.colours import ALARM
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details, table
from panelbench.report.stored import evenly
from panelbench.report.theme import Layout

Float = NDArray[np.float64]
SERIES_DRAWN = 400
LONG = 200
"""Periods beyond which lines of single ones would be a thicket, so that whole seasons are drawn."""
MARKED = 80
"""Periods up to which each has a marker, and lines their own dashes."""


@dataclass(frozen=True)
class Errors:
    """One model's errors over the test block, mean over seeds: RMSE by series (S,) and by period (W,)."""

    by_series: Float
    by_period: Float


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where no run finished."""
    best = data.best
    if best is None:
        return None
    names = chosen(data)
    by_series, by_period = data.by_series(names), data.by_period(names)
    errors = {name: Errors(by_series[name], by_period[name]) for name in names}
    sentence = _sentence(data, errors[best], best)
    figure = theme.draw("where", sentence, _caption(data, names), lambda layout: _paint(data, errors, layout))
    return Section("where", "Where the error is", sentence, _body(data, errors), (figure,))


def chosen(data: ReportData) -> list[str]:
    """Return the best model, the best network and the best baseline, each once."""
    wanted = [data.best, *data.networks[:1], *data.baselines[:1]]
    return list(dict.fromkeys(name for name in wanted if name))


def _sentence(data: ReportData, errors: Errors, best: str) -> str:
    entry = data.experiments[best]
    length = bin_length(errors.by_period.size, data.panel.info.season)
    binned = by_bins(errors.by_period, length)
    hardest = int(np.argmax(binned))
    typical = float(np.median(binned))
    began = "was" if length == 1 and data.period == "day" else "began on"
    when = f"the hardest {_bin(data, length)} {began} {data.when(data.test_dates[hardest * length])}"
    if typical > 0:
        times = words.number(float(binned[hardest]) / typical, 1)
        when += f", with {times} times the error of a typical one"
    if entry.top_share is None or data.panel.n_series < 10:
        return f"For {data.name(best)}, {when}."
    count = len(entry.top_series)
    even = count / data.panel.n_series
    held = (
        f"{words.plural(count, 'series', 'series')} of {words.number(data.panel.n_series, 0)} hold "
        f"{words.percent(entry.top_share)} of the squared error of {data.name(best)}"
    )
    return f"{held} (an even share would be {words.percent(even)}); {when}."


def bin_length(periods: int, season: int) -> int:
    """Return how many periods are drawn as one: single ones, or whole seasons where they are very many."""
    if periods <= LONG:
        return 1
    return max(season, 2) * -(-periods // (LONG * max(season, 2)))


def by_bins(errors: Float, length: int) -> Float:
    """Return the root mean square of each `length` errors; what is left over at the end joins the last."""
    starts = np.arange(0, max(1, errors.size // length)) * length
    counts = np.diff([*starts, errors.size])
    return np.asarray(np.sqrt(np.add.reduceat(errors**2, starts) / counts))


def _bin(data: ReportData, length: int) -> str:
    """Return "week", or "24 hours" where so many are drawn as one."""
    return data.period if length == 1 else data.periods(length)


def _caption(data: ReportData, names: list[str]) -> str:
    unit = words.escape(data.unit)
    drawn = len(evenly(data.panel.n_series, SERIES_DRAWN))
    sample = (
        f" {words.number(drawn, 0)} of {words.number(data.panel.n_series, 0)} series drawn, evenly spaced in "
        "that order."
        if drawn < data.panel.n_series
        else ""
    )
    event = data.panel.info.event_column
    special = (
        f" Triangles: {data.period}s with {words.code(event)} above zero in half the series or more."
        if _marked(data).any()
        else ""
    )
    one_series = data.panel.n_series == 1
    length = bin_length(data.test_dates.size, data.panel.info.season)
    each = f"test {data.period}" if length == 1 else f"{data.periods(length)} of the test block"
    above = (
        "Above: error of each series (RMSE as a share of the series' mean), largest series at the "
        f"left.{sample} Below: "
    )
    return (
        f"{'' if one_series else above}RMSE ({unit}) of each "
        f"{each}{'' if one_series else ' over all series'}.{special} Shown are "
        f"{words.listing([data.name(name) for name in names])}; mean over seeds, "
        f"n = {words.number(data.comparison.test.n_rows, 0)} forecasts a seed, no intervals."
    )


def _marked(data: ReportData) -> NDArray[np.bool_]:
    """Return (W,) the test periods in which most series have an event."""
    return data.events[data.split.valid_end :]


def _paint(data: ReportData, errors: dict[str, Errors], layout: Layout) -> Canvas:
    if data.panel.n_series == 1:
        figure, grid = theme.canvas(layout, 320)
    else:
        figure, grid = theme.canvas(layout, 560 if not layout.narrow else 600, 2, 1)
        _paint_series(data, errors, layout, grid[0, 0])
    _paint_periods(data, errors, layout, grid[-1, 0])
    theme.legend_above(figure, grid[-1, 0], 1 if layout.narrow else len(errors), handlelength=1.8)
    return figure


def _paint_series(data: ReportData, errors: dict[str, Errors], layout: Layout, axes: Axes) -> None:
    level = data.panel.y.mean(axis=1)
    order = np.argsort(-level, kind="stable")[evenly(level.size, SERIES_DRAWN)]
    scale = np.where(np.abs(level[order]) > 0, np.abs(level[order]), np.nan)
    rank = evenly(level.size, SERIES_DRAWN) + 1
    size = 5.0 if rank.size <= 40 else 3.2 if rank.size <= 150 else 2.0
    tallest = 0.0
    for name, found in errors.items():
        look, share = data.looks[name], 100 * found.by_series[order] / scale
        axes.plot(rank, share, look.marker, color=look.colour, ms=size, mew=0, alpha=0.85)
        tallest = max(tallest, float(np.nanmax(share)) if np.isfinite(share).any() else 0.0)
    axes.set_ylim(0, tallest * 1.05 or 1.0)
    axes.xaxis.set_major_locator(MaxNLocator(4 if layout.narrow else 7, integer=True))
    theme.thousands(axes.xaxis)
    axes.set_xlabel("Series, by mean, largest first")
    axes.set_ylabel("Error (% of mean)")
    theme.few_ticks(axes, theme.NARROW, "y")


def _paint_periods(data: ReportData, errors: dict[str, Errors], layout: Layout, axes: Axes) -> None:
    length = bin_length(data.test_dates.size, data.panel.info.season)
    when = data.test_dates[::length][: max(1, data.test_dates.size // length)]
    for name, found in errors.items():
        look = data.looks[name]
        axes.plot(
            when,
            by_bins(found.by_period, length),
            ls=look.line if when.size <= MARKED else "-",
            marker=look.marker if when.size <= MARKED else "",
            color=look.colour,
            ms=4,
            lw=1.4 if when.size <= MARKED else 0.8,
            label=data.label(name),
        )
    axes.set_ylim(0, None)
    marked = _marked(data)
    if marked.any():
        special = data.test_dates[marked]
        axes.plot(special, np.zeros(special.size), "^", color=ALARM, ms=6, clip_on=False, zorder=5)
    axes.set_ylabel(f"RMSE ({data.unit})")
    axes.set_xlabel(f"Start of the {_bin(data, length)}")
    theme.few_ticks(axes, theme.NARROW, "y")
    dates.time_axis(axes, layout)


def _body(data: ReportData, errors: dict[str, Errors]) -> str:
    text = (
        f"If a few {data.period}s stand out, ask whether they are what you care about."
        if data.panel.n_series == 1
        else "The pooled RMSE is a vote in which a series counts by the square of its misses. If one "
        f"{data.period} or a few series stand out, ask whether "
        "they are what you care about; RMSSE, folded under [the answer](#answer), counts "
        "every series the same."
    )
    best = next(iter(errors))
    table_rows = []
    for name in errors:
        entry = data.experiments[name]
        held = "; ".join(
            f"{words.escape(words.shorten(one.series))} ({words.percent(one.share)})"
            for one in entry.top_series
        )
        table_rows.append(
            [
                data.md(name),
                held or words.MISSING,
                words.percent(entry.top_share) if entry.top_share is not None else words.MISSING,
            ]
        )
    hardest = np.argsort(-errors[best].by_period, kind="stable")[:5]
    listed = "; ".join(
        f"{data.when(data.test_dates[i])}: {words.number(float(errors[best].by_period[i]))} "
        f"{words.escape(data.unit)}"
        for i in hardest
    )
    content = table(
        ["Model", "Series with the largest share of squared error", "Together"], table_rows, "llr"
    )
    content += f"\nHardest {data.period}s for {data.name(best)} (RMSE over all series): {listed}."
    return text + "\n\n" + details(f"The series and {data.period}s that weigh most", content)
