"""Size: did parameters buy accuracy?"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator, NullFormatter
from scipy import stats

from panelbench.report import labels, theme, words
from panelbench.report.colours import MUTED
from panelbench.report.data import ReportData
from panelbench.report.section import Section
from panelbench.report.strip import OFF_SCALE
from panelbench.report.theme import Layout


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where no model counts its parameters."""
    sized = [name for name, entry in data.finished.items() if entry.n_parameters]
    if not sized:
        return None
    if len(sized) == 1:
        return Section("size", "Size", f"Only {data.md(sized[0])} counts its parameters, so there is nothing to compare by size.")
    sentence = _sentence(data, sized)
    others = [name for name in data.finished if name not in sized and data.mean(name) <= OFF_SCALE * data.mean(sized[0])]
    level = words.percent(data.comparison.method.confidence)
    caption = (
        f"Mean RMSE ({words.escape(data.unit)}) by number of trained parameters (each gridline is ten times the one before). "
        f"Thick bar: {level} t interval of the mean over seeds ({_seeds(data, sized)}). Thin bar: {level} interval over resampled "
        f"{data.period}s of the test block (n = {data.comparison.test.n_periods}). "
        + (f"Dashed lines: models without such a count ({words.listing([data.md(name) for name in others], limit=6)}). " if others else "")
    )
    figure = theme.draw("size", sentence, caption, lambda layout: _paint(data, sized, others, layout))
    help_text = (
        "Lower is better, further left is cheaper: a model is worth its size only if nothing stands to its left and below it. "
        "The thin bars say how much the ranking could change with other test "
        f"{data.period}s; because all models share the same {data.period}s, two overlapping thin bars may still be told apart "
        "(see [comparison](#comparison))."
    )
    return Section("size", "Size", sentence, help_text, (figure,))


def _seeds(data: ReportData, names: list[str]) -> str:
    counts = sorted({data.experiments[name].n_ok for name in names})
    return f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}"


def _sentence(data: ReportData, sized: list[str]) -> str:
    sizes = np.array([data.experiments[name].n_parameters or 0 for name in sized], dtype=float)
    errors = np.array([data.mean(name) for name in sized])
    largest, smallest = sized[int(sizes.argmax())], sized[int(sizes.argmin())]
    if np.unique(sizes).size < 2:
        return f"All models with a parameter count have the same {words.number(sizes[0], 0)}, so size explains nothing here."
    ratio = sizes.max() / sizes.min()
    change = data.mean(largest) / data.mean(smallest) - 1
    than = f"{data.md(smallest)} ({words.number(sizes.min(), 0)})"
    direction = "lower" if change < 0 else "higher"
    sentence = (
        f"{data.md(largest)} has {words.number(ratio, 0 if ratio >= 9.5 else 1)} times the parameters of {than} and an error "
        f"{words.percent(abs(change))} {direction}"
    )
    if len(sized) < 4:
        return f"{sentence}."
    rank = float(stats.spearmanr(sizes, errors).statistic)
    trend = "more parameters went with lower error" if rank < -0.5 else "more parameters went with higher error" if rank > 0.5 else "there is no clear trend"
    return f"{sentence}; over all {len(sized)} models with a count, {trend} (rank correlation {words.number(rank, 1)})."


def _paint(data: ReportData, sized: list[str], others: list[str], layout: Layout) -> Canvas:
    figure, grid = theme.canvas(layout, 430 if not layout.narrow else 460)
    axes = grid[0, 0]
    shown = [name for name in sized if data.mean(name) <= OFF_SCALE * data.mean(sized[0])]
    points = []
    for name in shown:
        entry, look = data.experiments[name], data.looks[name]
        x, y = float(entry.n_parameters or 1), data.mean(name)
        points.append((x, y))
        if entry.periods.low is not None and entry.periods.high is not None:
            axes.plot([x, x], [entry.periods.low, entry.periods.high], color=look.colour, lw=1)
        spread = entry.metrics["rmse"]
        if spread.low is not None and spread.high is not None:
            axes.plot([x, x], [spread.low, spread.high], color=look.colour, lw=4, alpha=0.45)
        axes.plot(x, y, look.marker, color=look.colour, ms=8, mec="white", mew=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(base=10))
    axes.xaxis.set_minor_formatter(NullFormatter())
    theme.thousands(axes.xaxis)
    sizes = [x for x, _ in points]
    axes.set_xlim(10 ** np.floor(np.log10(min(sizes)) - 0.2), 10 ** (np.ceil(np.log10(max(sizes)) + 0.2)))
    low, high = axes.get_ylim()
    means = [data.mean(name) for name in others]
    axes.set_ylim(max(0.0, min([low, *(value - 0.04 * (high - low) for value in means)])), max([high, *(value + 0.04 * (high - low) for value in means)]))
    for name in others:
        axes.axhline(data.mean(name), color=data.looks[name].colour, lw=1, ls="--", zorder=0)
    theme.error_axis(axes, layout, f"RMSE ({data.unit})", "y")
    axes.set_xlabel("Trained parameters (log scale)")
    axes.tick_params(axis="x", which="minor", length=0)
    edge = axes.get_xlim()[0]
    width = 20 if layout.narrow else 34
    labels.place(
        axes,
        [*points, *((edge, value) for value in means)],
        [words.shorten(data.label(name), width) for name in [*shown, *others]],
        [data.looks[name].colour if name not in data.baselines else MUTED for name in [*shown, *others]],
    )
    return figure
