"""Forecasts against actual values, for a few series chosen by rule."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas

from panelbench.report import dates, theme, words
from panelbench.report.colours import FAINT, INK
from panelbench.report.data import ReportData
from panelbench.report.section import Section
from panelbench.report.stored import Lines, evenly
from panelbench.report.theme import Layout

DRAWN = 200
"""Periods in a picture, at most: the last ones of the test block."""
SAMPLE = 400
"""Series over which it is computed how well forecasts follow; with more, a sample of these."""


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where no run finished."""
    best = data.best
    if best is None:
        return None
    names = chosen(data)
    series = series_by_rule(data, best)
    lines = {name: data.lines(name, list(series)) for name in names}
    sentence = _sentence(data, best)
    listed = words.listing(
        [f"{words.escape(words.shorten(data.panel.series[index]))} ({why})" for index, why in series.items()]
    )
    alone = data.panel.n_series == 1
    rule = "" if alone else f"Chosen by rule: {listed}. "
    scale = "the scale is the series' own" if alone else "each series has its own scale"
    length, drawn = data.test_dates.size, _drawn(data)
    part = f" Drawn: the last {drawn} of {data.periods(length)}." if drawn < length else ""
    caption = (
        f"Actual values in black and {_made(data)}, "
        f"{_averaged(data, names)}, for {words.listing([data.name(name) for name in names])}. "
        f"{rule}{words.capital(words.escape(data.unit))}; {scale}, which need not start at zero.{part}"
    )
    figure = theme.draw("forecasts", sentence, caption, lambda layout: _paint(data, series, lines, layout))
    help_text = (
        "A good forecast turns when the series turns; one that repeats the last value "
        + (f"turns one {data.period} late." if data.comparison.test.horizon == 1 else "stays flat.")
        + (" Averaging the seeds makes a line smoother than any single run." if data.repeated(names) else "")
    )
    return Section("forecasts", "Forecasts", sentence, help_text, (figure,))


def _made(data: ReportData) -> str:
    """Say how far ahead the forecasts are, and when they were made."""
    horizon = data.comparison.test.horizon
    if horizon == 1:
        return f"forecasts one {data.period} ahead, each made when the {data.period} before it was known"
    length = data.periods(horizon)
    return f"forecasts of the next {length}, made every {length} (vertical lines)"


def _drawn(data: ReportData) -> int:
    """Return how many periods are drawn: whole forecasts where they are of several steps."""
    horizon = data.comparison.test.horizon
    left = (data.test_dates.size - horizon) % horizon  # after the last whole forecast
    whole = max(1, DRAWN // horizon) * horizon + left
    return min(data.test_dates.size, whole if horizon > 1 else DRAWN)


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
    error = data.by_series([best])[best] / np.where(level > 0, level, np.nan)
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


def _sentence(data: ReportData, best: str) -> str:
    """Say how much of the movement within series the best model's forecasts follow."""
    sample = evenly(data.panel.n_series, SAMPLE)
    found = data.lines(best, sample)
    start = int(np.searchsorted(data.panel.dates, found.dates[0]))
    actual = data.panel.y[sample, start : start + found.dates.size]
    actual, forecast = (values - values.mean(axis=1, keepdims=True) for values in (actual, found.y_hat))
    spread = float(np.sqrt((actual**2).sum() * (forecast**2).sum()))
    if spread == 0:
        return f"{data.name(best)} forecasts, or the series themselves, do not move at all in the test block."
    follow = float((actual * forecast).sum()) / spread
    quality = "closely" if follow >= 0.8 else "in part" if follow >= 0.4 else "hardly"
    of = (
        f", over {words.number(len(sample), 0)} of {words.number(data.panel.n_series, 0)} series"
        if len(sample) < data.panel.n_series
        else ""
    )
    wape = data.experiments[best].metrics["wape"].mean
    missed = (
        f" and misses by {words.percent(wape, 1)} of {words.escape(data.target)} on average"
        if wape is not None
        else ""
    )
    return (
        f"{data.name(best)} follows the ups and downs within the series {quality} (correlation "
        f"{words.number(follow, 2)}{of}){missed}."
    )


def _paint(
    data: ReportData,
    series: dict[int, str],
    lines: dict[str, Lines],
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
    dated, start = data.panel.dates, data.panel.n_steps - _drawn(data)
    for place, (axes, (index, why)) in enumerate(zip(grid.flat, series.items(), strict=False)):
        axes.plot(dated[start:], data.panel.y[index, start:], color=INK, lw=2, label="Actual")
        for name, found in lines.items():
            look, late = data.looks[name], found.dates >= dated[start]
            axes.plot(
                found.dates[late], found.y_hat[place, late], ls=look.line, color=look.colour, lw=1.5,
                label=data.with_mode(name),
            )  # fmt: skip
        for origin in data.origins[1:] if data.comparison.test.horizon > 1 else ():
            if origin >= dated[start]:
                axes.axvline(origin, color=FAINT, lw=0.8, zorder=0)
        title = f"{words.shorten(data.panel.series[index], 22)} ({why})"
        if data.panel.n_series == 1:
            title = words.shorten(data.panel.series[index], 44)
        axes.set_title(words.wrap(title, 36 if layout.narrow else 44))
        theme.few_ticks(axes, theme.NARROW, "y")
        dates.time_axis(axes, layout, few=True)
    for axes in grid[:, 0]:
        axes.set_ylabel(words.capital(data.unit))
    theme.legend_above(figure, grid[0, 0], 1 if layout.narrow else None, handlelength=2.8)
    return figure
