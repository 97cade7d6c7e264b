"""Error by step: how far ahead a forecast is worth having."""

from __future__ import annotations

import itertools

from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from panelbench.report import choice, labels, theme, words
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details, table
from panelbench.report.strip import limit
from panelbench.report.theme import Layout

BANDS = 3
"""Lines with a band; more would cover each other."""
DRAWN = 8
"""Lines that stay apart in one picture."""
LISTED = 6
"""Steps in the table."""


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where forecasts go one step ahead, or no run finished."""
    if data.comparison.test.horizon == 1 or not data.finished:
        return None
    names = drawn(data)
    sentence = _sentence(data)
    figure = theme.draw(
        f"steps{data.suffix}", sentence, _caption(data, names), lambda layout: _paint(data, names, layout)
    )
    body = (
        "A line that climbs says that the model lives on what it has just seen; a flat one, that it has "
        "learned a pattern that lasts, or repeats one. A recursive forecast feeds its own values back, so a "
        "miss at an early step is carried into the later ones.\n\n"
    ) + details("Errors at some steps", _table(data))
    return Section("steps", "Error by step", sentence, body, (figure,))


def drawn(data: ReportData) -> list[str]:
    """Return the experiments whose lines are drawn, in order of error.

    The most accurate, the best rule that learns nothing, and the best two of each mode, however far off: how
    fast a recursive forecast gets worse is what this picture is about.
    """
    names = choice.finished(data)
    top = limit([data.mean(name) for name in names])
    near = [name for name in names if data.mean(name) <= top]
    kept = near[:DRAWN]
    wanted = [name for name in data.baselines[:1] if name in near]
    wanted += [
        name
        for mode in data.comparison.task.modes
        for name in [one for one in names if data.experiments[one].mode == mode][:2]
    ]
    missing = [name for name in dict.fromkeys(wanted) if name not in kept]
    drawn_ones = {*kept[: DRAWN - len(missing)], *missing}
    return [name for name in names if name in drawn_ones]


def leaders(data: ReportData) -> list[tuple[int, str]]:
    """Return where the most accurate experiment changes: its first step and its name, from step 1 on."""
    entries = data.finished
    best = [
        min(entries, key=lambda name: (_rmse(data, name, step), name))
        for step in range(1, data.comparison.test.horizon + 1)
    ]
    changes = [(1, best[0])]
    changes += [(step + 1, new) for step, (old, new) in enumerate(itertools.pairwise(best), 1) if new != old]
    return changes


def _rmse(data: ReportData, name: str, step: int) -> float:
    return float(data.experiments[name].by_step[step - 1].rmse.mean or 0.0)


def _sentence(data: ReportData) -> str:
    """Say how the error of the best grows, who leads where, and what feeding back costs."""
    return f"{_leading(data)}{_fed_back(data)}."


def _fed_back(data: ReportData) -> str:
    """Name the recursive forecasts that get worse fastest; empty where none do, or nothing else is shown."""
    horizon = data.comparison.test.horizon
    growth = {
        name: _rmse(data, name, horizon) / _rmse(data, name, 1)
        for name, entry in data.finished.items()
        if entry.mode == "recursive" and name != data.best and _rmse(data, name, 1) > 0
    }
    if not growth:
        return ""
    name = max(growth, key=lambda one: growth[one])
    if growth[name] <= 1:
        return ""
    return (
        f". Of the recursive forecasts, those of {data.name(name)} get worse fastest: from "
        f"{_at(data, name, 1)} to {_at(data, name, horizon)}"
    )


def _leading(data: ReportData) -> str:
    horizon, best = data.comparison.test.horizon, str(data.best)
    first, last = (_at(data, best, step) for step in (1, horizon))
    unit = words.escape(data.unit)
    text = (
        f"The error of {data.name(best)} goes from {first} {unit} one {data.period} ahead to {last} at "
        f"{data.periods(horizon)}"
    )
    changes = leaders(data)
    if len(changes) == 1:
        whose = "it has" if changes[0][1] == best else f"{data.name(changes[0][1])} has"
        return f"{text}; {whose} the lowest mean error at every step"
    if len(changes) > 3:
        names = list(dict.fromkeys(name for _, name in changes))
        listed = words.listing([data.name(name) for name in names], limit=3)
        return f"{text}; which model has the lowest mean error changes with the step ({listed})"
    parts = [f"{data.name(name)} from step {step}" for step, name in changes[1:]]
    first_one = data.name(changes[0][1])
    return f"{text}; the lowest mean error is that of {first_one} at first, {', then '.join(parts)}"


def _at(data: ReportData, name: str, step: int) -> str:
    found = data.experiments[name].by_step[step - 1].rmse
    return words.with_spread(found.mean or 0.0, found.sd)


def _caption(data: ReportData, names: list[str]) -> str:
    entries = data.experiments
    counts = data.repeated(names[:BANDS])
    level = words.percent(data.comparison.method.confidence)
    band = (
        f" Band, around the {BANDS} most accurate at most: {level} t interval of the mean over seeds "
        f"({words.of_seeds(counts)})."
        if counts
        else ""
    )
    fewest, most = (pick(one.n for name in names for one in entries[name].by_step) for pick in (min, max))
    n = words.number(most, 0) if fewest == most else f"{words.number(fewest, 0)} to {words.number(most, 0)}"
    modes = words.listing(
        f"{mode}: {words.listing([data.name(name) for name in names if entries[name].mode == mode])}"
        for mode in data.comparison.task.modes
        if any(entries[name].mode == mode for name in names)
    )
    left = len(data.finished) - len(names)
    more = f" {words.plural(left, 'model is', 'models are')} in the folded table only." if left else ""
    return (
        f"RMSE ({words.escape(data.unit)}) of forecasts by the number of {data.period}s ahead, mean over "
        f"seeds; {data.kind_of(names)}. {words.capital(modes)}.{band} n = {n} forecasts a step and "
        f"seed.{more}"
    )


def _paint(data: ReportData, names: list[str], layout: Layout) -> Canvas:
    figure, grid = theme.canvas(layout, 380 if not layout.narrow else 360 + 18 * len(names))
    axes = grid[0, 0]
    steps = range(1, data.comparison.test.horizon + 1)
    for place, name in enumerate(names):
        look, found = data.looks[name], [one.rmse for one in data.experiments[name].by_step]
        axes.plot(
            steps, [one.mean for one in found], ls=look.line, color=look.colour, lw=1.8,
            label=data.with_mode(name),
        )  # fmt: skip
        if place < BANDS and all(one.low is not None for one in found):
            low, high = ([getattr(one, end) for one in found] for end in ("low", "high"))
            axes.fill_between(steps, low, high, color=look.colour, alpha=0.12, lw=0)
    axes.set_xlim(1, len(steps))
    means = [float(one.rmse.mean or 0.0) for name in names for one in data.experiments[name].by_step]
    # Two seeds make for very wide bands; the axis is the lines', and a band may run off it.
    axes.set_ylim(0.95 * min(means) if min(means) > 0.5 * max(means) else 0, 1.08 * max(means))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 3, 4, 6, 10]))
    axes.set_xlabel(f"{words.capital(data.period)}s ahead")
    theme.error_axis(axes, layout, f"RMSE ({data.unit})", "y")
    if layout.narrow:
        theme.legend_above(figure, axes, 1, handlelength=2.8)  # in the order of the models' errors
    else:
        labels.at_the_end(axes)
    return figure


def _table(data: ReportData) -> str:
    horizon = data.comparison.test.horizon
    steps = sorted({round(1 + part * (horizon - 1) / (LISTED - 1)) for part in range(LISTED)})
    rows = [
        [data.md(name), entry.mode, *(_with_sd(data, name, step) for step in steps)]
        for name, entry in data.finished.items()
    ]
    header = ["Model", "Mode", *(f"{step}" for step in steps)]
    return table(header, rows, "ll" + "r" * len(steps)) + (
        f"\nRMSE ({words.escape(data.unit)}) at that many {data.period}s ahead: mean over seeds, and its "
        "standard deviation."
    )


def _with_sd(data: ReportData, name: str, step: int) -> str:
    sd = data.experiments[name].by_step[step - 1].rmse.sd
    return _at(data, name, step) + (f" {words.PLUS_MINUS} {words.spread(sd)}" if sd else "")
