"""Forecasts against actual values, for a few series chosen by rule."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas
from numpy.typing import NDArray

from panelbench.report import theme, words
from panelbench.report.colours import INK
from panelbench.report.data import ReportData
from panelbench.report.section import Section
from panelbench.report.sections.where import measure
from panelbench.report.theme import Layout

Float = NDArray[np.float64]


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where no run finished."""
    best = data.best
    if best is None:
        return None
    names = chosen(data)
    series = series_by_rule(data, best)
    lines = {name: _lines(data, name, series) for name in names}
    sentence = _sentence(data, best)
    horizon = data.comparison.test.horizon
    rule = words.listing(
        [f"{words.escape(words.shorten(data.panel.series[index]))} ({why})" for index, why in series.items()]
    )
    caption = (
        f"Actual values in black and forecasts one {data.period} "
        f"ahead{' (the first step of ' + str(horizon) + ')' if horizon > 1 else ''}, "
        f"{_averaged(data, names)}, for {words.listing([data.name(name) for name in names])}. "
        f"Chosen by rule: {rule}. "
        f"{words.capital(words.escape(data.unit))}; each series "
        "has its own scale, which need not start at zero."
    )
    figure = theme.draw("forecasts", sentence, caption, lambda layout: _paint(data, series, lines, layout))
    help_text = (
        "A good forecast turns when the series turns; one that repeats the last value turns one "
        f"{data.period} late."
        + (
            " Averaging the seeds makes a line smoother than any single run."
            if data.repeated(names)
            else ""
        )
    )
    return Section("forecasts", "Forecasts", sentence, help_text, (figure,))


def _averaged(data: ReportData, names: list[str]) -> str:
    if not data.repeated(names):
        return "one run each"
    return f"mean of all seeds (n = {words.listing([str(data.experiments[name].n_ok) for name in names])})"


def chosen(data: ReportData) -> list[str]:
    """Return the best model, the worst network, and the last value (else the best baseline)."""
    last = [name for name in data.baselines if data.experiments[name].model == "last_value"] or data.baselines
    wanted = [data.best, *data.networks[-1:], *last[:1]]
    return list(dict.fromkeys(name for name in wanted if name))


def series_by_rule(data: ReportData, best: str) -> dict[int, str]:
    """Return up to four series and why: largest, median and smallest mean, and hardest for the best model."""
    order = np.argsort(-data.panel.y.mean(axis=1), kind="stable")
    level = np.abs(data.panel.y.mean(axis=1))
    error = measure(*data.forecasts(best)).by_series / np.where(level > 0, level, np.nan)
    picks = [
        (int(order[0]), "largest mean"),
        (int(order[order.size // 2]), "median mean"),
        (int(order[-1]), "smallest mean"),
    ]
    if np.isfinite(error).any():
        picks.append((int(np.nanargmax(error)), "largest error for its size"))
    result: dict[int, str] = {}
    for index, why in picks:
        result[index] = f"{result[index]}, {why}" if index in result else why
    return result


def _lines(
    data: ReportData, name: str, series: dict[int, str]
) -> dict[int, tuple[NDArray[np.datetime64], Float]]:
    rows, y_hat = data.forecasts(name)
    mean, first = y_hat.mean(axis=0), rows.step == 1
    result = {}
    for index in series:
        mask = first & (rows.series == index)
        result[index] = (rows.dates[rows.period[mask]], mean[mask])
    return result


def _sentence(data: ReportData, best: str) -> str:
    """Say how much of the movement within series the best model's forecasts follow."""
    rows, y_hat = data.forecasts(best)
    mean = y_hat.mean(axis=0)
    first = rows.step == 1
    actual, forecast = (_within(rows.series[first], values[first]) for values in (rows.y, mean))
    spread = float(np.sqrt((actual**2).sum() * (forecast**2).sum()))
    if spread == 0:
        return f"{data.name(best)} forecasts, or the series themselves, do not move at all in the test block."
    follow = float((actual * forecast).sum()) / spread
    quality = "closely" if follow >= 0.8 else "in part" if follow >= 0.4 else "hardly"
    wape = data.experiments[best].metrics["wape"].mean
    missed = (
        f" and misses by {words.percent(wape, 1)} of {words.escape(data.target)} on average"
        if wape is not None
        else ""
    )
    return (
        f"{data.name(best)} follows the ups and downs within the series {quality} (correlation "
        f"{words.number(follow, 2)}){missed}."
    )


def _within(series: NDArray[np.int64], values: Float) -> Float:
    """Return values minus the mean of their series."""
    count = np.bincount(series)
    means = np.divide(np.bincount(series, weights=values), count, out=np.zeros(count.size), where=count > 0)
    return np.asarray(values - means[series])


def _paint(
    data: ReportData,
    series: dict[int, str],
    lines: dict[str, dict[int, tuple[NDArray[np.datetime64], Float]]],
    layout: Layout,
) -> Canvas:
    columns = layout.columns(len(series), 2)
    rows = -(-len(series) // columns)
    figure, grid = theme.canvas(
        layout,
        rows * (200 if not layout.narrow else 170) + (40 if not layout.narrow else 80),
        rows,
        columns,
        sharex=True,
    )
    for axes in grid.flat[len(series) :]:
        axes.set_visible(False)
    for axes, (index, why) in zip(grid.flat, series.items(), strict=False):
        dates = next(iter(lines.values()))[index][0]
        start = int(np.searchsorted(data.panel.dates, dates[0])) if dates.size else 0
        axes.plot(data.panel.dates[start:], data.panel.y[index, start:], color=INK, lw=2, label="Actual")
        for name, found in lines.items():
            look = data.looks[name]
            axes.plot(*found[index], ls=look.line, color=look.colour, lw=1.5, label=data.label(name))
        axes.set_title(words.shorten(f"{words.shorten(data.panel.series[index], 22)} ({why})", 44))
        theme.few_ticks(axes, theme.NARROW, "y")
        theme.time_axis(axes, layout, few=True)
    for axes in grid[:, 0]:
        axes.set_ylabel(words.capital(data.unit))
    handles, texts = grid[0, 0].get_legend_handles_labels()
    figure.legend(
        handles,
        texts,
        loc="outside upper left",
        ncols=1 if layout.narrow else len(handles),
        handlelength=2.2,
        borderaxespad=0,
    )
    return figure
