"""Size: whether parameters bought accuracy."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import NullLocator
from scipy import stats

from panelbench.report import choice, labels, theme, words
from panelbench.report.colours import MUTED
from panelbench.report.data import ReportData
from panelbench.report.section import Section
from panelbench.report.sections import parts, size_bands
from panelbench.report.strip import limit
from panelbench.report.theme import Layout

NAMED = {"wide": 16, "narrow": 11}
"""Points and lines that carry a name, by layout; with more, names would cover each other."""


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where no model counts its parameters."""
    finished = choice.finished(data)
    sized = [name for name in finished if data.experiments[name].n_parameters]
    if not sized:
        return None
    if len(sized) == 1:
        return Section(
            "size",
            "Size",
            f"Only {data.name(sized[0])} counts its parameters, so there is nothing to compare by size.",
            parts.accounts(data),
        )
    sentence = _sentence(data, sized)
    if len({data.experiments[name].n_parameters for name in sized}) == 1:
        return Section("size", "Size", sentence, parts.accounts(data))
    others = [name for name in finished if name not in sized and data.mean(name) <= _top(data)]
    beyond = [name for name in finished if data.mean(name) > _top(data)]
    level = words.percent(data.comparison.method.confidence)
    crowded = len(sized) + len(others) > NAMED["narrow"]
    caption = (
        f"Mean RMSE ({words.escape(data.unit)}) by number of trained parameters (each gridline is ten "
        f"times the one before). {_side_by_side(data, sized)}"
        f"{_thick(data, sized, level)}Thin bar: {level} interval over resampled "
        f"{data.period}s of the test block (n = {data.comparison.test.n_periods}). "
        + (
            "Dashed lines: models that have no parameters or do not count them "
            f"({words.listing([data.name(name) for name in others], limit=6)}). "
            if others
            else ""
        )
        + (f"Above the picture: {_beyond(data, beyond)}. " if beyond else "")
        + ("Where there are many models, the most accurate are named. " if crowded else "")
        + choice.rule(data)
    ).strip()
    figure = theme.draw("size", sentence, caption, lambda layout: _paint(data, sized, others, layout))
    help_text = (
        "Lower is better, further left is smaller: a model is worth its size only if nothing stands to "
        f"its left{', outside its own band,' if _side_by_side(data, sized) else ''} and below it. "
        "The thin bars say how much the ranking could change with other test "
        f"{data.period}s; because all models share the same {data.period}s, two overlapping thin bars may "
        "still be told apart "
        "(see [comparison](#comparison))."
    )
    body = "\n\n".join(part for part in (help_text, parts.accounts(data)) if part)
    return Section("size", "Size", sentence, body, (figure,))


def _side_by_side(data: ReportData, sized: list[str]) -> str:
    """Say what a band is, where there is one."""
    shown = [name for name in sized if data.mean(name) <= _top(data)]
    counts = [float(data.experiments[name].n_parameters or 1) for name in shown]
    if len(size_bands.clusters(counts)) == len(counts):
        return ""
    return (
        "Models in one band have nearly the same count, which stands at its foot: they are side by side only "
        "to be seen. "
    )


def _top(data: ReportData) -> float:
    return limit([data.mean(name) for name in data.finished])


def _beyond(data: ReportData, names: list[str]) -> str:
    return words.listing(
        [f"{data.name(name)} ({words.with_spread(data.mean(name), data.sd(name))})" for name in names],
        limit=4,
    )


def _thick(data: ReportData, names: list[str], level: str) -> str:
    counts = data.repeated(names)
    if not counts:
        return "One run each, so there is no interval over seeds. "
    return f"Thick bar: {level} t interval of the mean over seeds ({words.of_seeds(counts)}). "


def _sentence(data: ReportData, sized: list[str]) -> str:
    sizes = np.array([data.experiments[name].n_parameters or 0 for name in sized], dtype=float)
    errors = np.array([data.mean(name) for name in sized])
    largest, smallest = sized[int(sizes.argmax())], sized[int(sizes.argmin())]
    if np.unique(sizes).size < 2:
        same = words.number(sizes[0], 0)
        return f"All models with a parameter count have the same {same}, so size explains nothing here."
    ratio = sizes.max() / sizes.min()
    than = f"{data.name(smallest)} ({words.number(sizes.min(), 0)})"
    sentence = (
        f"{data.name(largest)} has {words.number(ratio, 0 if ratio >= 9.5 else 1)} times the parameters of "
        f"{than} and an error {_change(data.mean(largest), data.mean(smallest))}"
    )
    if len(sized) < 4:
        return f"{sentence}."
    rank = float(stats.spearmanr(sizes, errors).statistic)
    trend = (
        "more parameters went with lower error"
        if rank < -0.5
        else "more parameters went with higher error"
        if rank > 0.5
        else "there is no clear trend"
    )
    return (
        f"{sentence}; over all {len(sized)} models with a count, {trend} "
        f"(rank correlation {words.number(rank, 1)})."
    )


def _change(error: float, other: float) -> str:
    """Return how an error differs from another, "3 % lower"; on a constant panel the other may be zero."""
    if other == 0:
        return "of zero as well" if error == 0 else "above zero, which that one has"
    change = error / other - 1
    return f"{words.percent(abs(change))} {'lower' if change < 0 else 'higher'}"


def _paint(data: ReportData, sized: list[str], others: list[str], layout: Layout) -> Canvas:
    figure, grid = theme.canvas(layout, 430 if not layout.narrow else 470)
    axes = grid[0, 0]
    shown = [name for name in sized if data.mean(name) <= _top(data)]
    where = [(float(data.experiments[name].n_parameters or 1), data.mean(name)) for name in shown]
    step = size_bands.step(where, layout)
    points = size_bands.dodge(where, step)
    bars = [_draw_point(data, axes, name, x, y) for name, (x, y) in zip(shown, points, strict=True)]
    width = 16 if layout.narrow else 40
    lines = 3 if layout.narrow else 1
    _limits(
        axes,
        points,
        [data.mean(name) for name in others],
        _span(data, shown),
        _room(data, shown, points, (width, lines), layout),
        layout.narrow,
    )
    size_bands.paint(axes, where, points, step)
    for name in others:
        axes.axhline(data.mean(name), color=data.looks[name].colour, lw=1, ls="--", zorder=0)
    theme.error_axis(axes, layout, f"RMSE ({data.unit})", "y")
    axes.set_xlabel("Trained parameters (log scale)")
    colour = {name: MUTED if name in data.baselines else data.looks[name].colour for name in data.finished}
    labels.place(
        axes,
        [
            labels.Label(*point, words.wrap(data.label(name), width, lines), colour[name])
            for name, point in list(zip(shown, points, strict=True))[: NAMED[layout.name] - len(others[:4])]
        ],
        bars,
        [
            labels.Label(0.0, data.mean(name), words.wrap(data.label(name), width, lines), colour[name])
            for name in others[:4]
        ],
    )
    return figure


def _draw_point(data: ReportData, axes: Axes, name: str, x: float, y: float) -> tuple[float, float, float]:
    """Draw a model with both its intervals; returns x and the ends of the longer one."""
    entry, look, spread = data.experiments[name], data.looks[name], data.experiments[name].metrics["rmse"]
    ends = [y]
    for low, high, style in (
        (entry.periods.low, entry.periods.high, {"lw": 1.2}),
        (spread.low, spread.high, {"lw": 5, "alpha": 0.4, "solid_capstyle": "butt"}),
    ):
        if low is not None and high is not None:
            axes.plot([x, x], [low, high], color=look.colour, **style)
            ends += [low, high]
    axes.plot(x, y, look.marker, color=look.colour, ms=8, mec="white", mew=0.8)
    return x, min(ends), max(ends)


def _room(
    data: ReportData,
    names: list[str],
    points: list[tuple[float, float]],
    wrapped: tuple[int, int],
    layout: Layout,
) -> float:
    """Return the share of the width to keep free at the right for the names of the largest models."""
    width, lines = wrapped
    largest = max(x for x, _ in points)
    near = [name for name, (x, _) in zip(names, points, strict=True) if x > largest / 3]
    letters = max(
        len(line) for name in near for line in words.wrap(data.label(name), width, lines).split("\n")
    )
    return min(0.58 if layout.narrow else 0.45, (labels.LETTER * letters + 45) / (layout.width - 80))


def _span(data: ReportData, names: list[str]) -> tuple[float, float]:
    """Return the lowest and the highest error to show: points, single seeds and thin bars.

    The thick bar of two seeds can be absurdly wide; it may run off the axis.
    """
    values = [float(value) for name in names for value in (data.rmse(name).min(), data.rmse(name).max())]
    thin = [data.experiments[name].periods for name in names]
    values += [end for one in thin for end in (one.low, one.high) if end is not None]
    room = 0.05 * (max(values) - min(values)) or 0.05 * max(values)
    return min(values) - room, max(values) + room


def _limits(
    axes: Axes,
    points: list[tuple[float, float]],
    lines: list[float],
    span: tuple[float, float],
    room: float,
    narrow: bool,
) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    theme.thousands(axes.xaxis)
    sizes = [x for x, _ in points]
    decades_wide = max(np.log10(max(sizes) / min(sizes)), 1.0)
    right = 10 ** (1.08 * decades_wide * room / (1 - room))
    axes.set_xlim(min(sizes) / 10 ** (0.08 * decades_wide), max(sizes) * right)
    decades = range(math.ceil(math.log10(axes.get_xlim()[0])), math.floor(math.log10(2 * max(sizes))) + 1)
    axes.set_xticks([10.0**power for power in decades][:: 2 if narrow and len(decades) > 3 else 1])
    low, high = span
    margin = 0.08 * (high - low)
    axes.set_ylim(
        max(0.0, min([low, *(value - margin for value in lines)])),
        max([high, *(value + margin for value in lines)]),
    )
