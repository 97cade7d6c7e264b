"""Run-to-run spread: how much of a score is the luck of the seed."""

from __future__ import annotations

import itertools

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from panelbench.compare.schema import Pair
from panelbench.report import choice, pairs, theme, words
from panelbench.report.colours import mix
from panelbench.report.data import ReportData
from panelbench.report.section import Figure, Section, details, table
from panelbench.report.strip import limit
from panelbench.report.theme import Layout

CLOSEST = 8


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where no run finished."""
    if not data.finished:
        return None
    names = choice.finished(data)
    sentence = _sentence(data, names)
    figure = _figure(data, "spread", sentence, names, choice.rule(data))
    body, inline = _body(data), []
    if choice.folded(data):
        every = list(data.finished)
        alt = f"The RMSE of every seed of all {len(every)} experiments that finished, in order of error."
        inline.append(_figure(data, "spread-all", alt, every, ""))
        body += "\n\n" + details(f"Every seed of all {len(every)} experiments", inline[0].to_markdown())
    return Section("spread", "Run-to-run spread", sentence, body, (figure,), tuple(inline))


def _figure(data: ReportData, name: str, alt: str, names: list[str], rule: str) -> Figure:
    counts = data.repeated(names)
    rows = (
        f"One row a model, one dot a seed, a vertical bar at their mean; {words.of_seeds(counts)}. A diamond "
        "is a single run. "
        if counts
        else "One row a model, a diamond at its error; one run each. "
    )
    caption = (
        f"{rows}RMSE in {words.escape(data.unit)}; the axis need not start at zero, since positions are "
        f"compared and not lengths. {rule}"
    ).strip()
    return theme.draw(name, alt, caption, lambda layout: _paint(data, names, layout))


def _sentence(data: ReportData, names: list[str]) -> str:
    spreads = {name: sd for name in names if (sd := data.sd(name))}
    unit = words.escape(data.unit)
    if not spreads:
        if all(entry.deterministic for entry in data.finished.values()):
            return "No model here depends on a seed: every score would come out the same again."
        return "With one seed a model, nothing can be said about luck: declare several seeds in params.yaml."
    widest = max(spreads, key=lambda name: spreads[name])
    values = data.rmse(widest)
    low, high = (words.with_spread(value, spreads[widest]) for value in (values.min(), values.max()))
    sentence = (
        f"Changing nothing but the seed moves {data.name(widest)} from {low} to {high} {unit} "
        f"(sd {words.spread(spreads[widest])})"
    )
    overlapping, neighbours = overlaps(data, names)
    if not neighbours:
        return f"{sentence}."
    if not overlapping:
        return f"{sentence}; still, no model's dots reach into those of its neighbour in the ranking."
    return (
        f"{sentence}; in {overlapping} of the {words.plural(neighbours, 'pair')} of neighbours in the "
        "ranking the dots of one reach into those of the other."
    )


def overlaps(data: ReportData, names: list[str]) -> tuple[int, int]:
    """Count the neighbours among `names`, in order of error, whose ranges over seeds overlap, and all."""
    crossing = [data.rmse(one).max() > data.rmse(two).min() for one, two in itertools.pairwise(names)]
    return sum(crossing), len(crossing)


def _paint(data: ReportData, names: list[str], layout: Layout) -> Canvas:
    height = 24 * len(names) + 60 if not layout.narrow else 38 * len(names) + 60
    figure, grid = theme.canvas(layout, height)
    axes = grid[0, 0]
    shown = [name for name in names if data.mean(name) <= limit([data.mean(other) for other in names])]
    top = max(float(data.rmse(name).max()) for name in shown)
    low = min(float(data.rmse(name).min()) for name in shown)
    room = (top - low) or 0.1 * top or 1.0
    axes.set_xlim(low - 0.05 * room, top + 0.05 * room)
    axes.set_ylim(len(names) - 0.4, -0.8 if layout.narrow else -0.6)
    for row, name in enumerate(names):
        _draw_row(data, axes, row, name)
    theme.row_labels(axes, [data.label(name) for name in names], layout)
    theme.error_axis(axes, layout, f"RMSE ({data.unit})")
    axes.grid(axis="y", visible=False)
    return figure


def _draw_row(data: ReportData, axes: Axes, row: int, name: str) -> None:
    look, values = data.looks[name], data.rmse(name)
    high = axes.get_xlim()[1]
    if data.mean(name) > high:
        axes.annotate(
            f"{words.with_spread(data.mean(name), data.sd(name))} →",
            (high, row),
            ha="right",
            va="center",
            color=look.colour,
        )
        return
    if values.size == 1:
        axes.plot(values, [row], "D", color=look.colour, ms=6)
        return
    axes.plot(
        [values.min(), values.max()], [row, row], color=mix(look.colour, "#ffffff", 0.6), lw=2, zorder=1
    )
    axes.plot(
        values, [row] * values.size, look.marker, color=look.colour, ms=6, mec="white", mew=0.7, alpha=0.9
    )
    axes.plot([values.mean()] * 2, [row - 0.3, row + 0.3], color=look.colour, lw=2)


def _body(data: ReportData) -> str:
    closest = sorted(
        (pair for pair in data.comparison.pairs if not pair.separable and pair.seeds.n > 1),
        key=lambda pair: abs(pair.difference),
    )
    if not data.repeated(data.finished):
        return "A position is one run's; where another seed would have put it is not known."
    text = (
        "A single run could have landed on any of a model's dots, so a difference smaller than a row's width "
        "is no difference yet."
    )
    if not closest:
        return text
    rows = [_needed(data, pair) for pair in closest[:CLOSEST]]
    header = ["Pair", f"Difference ({words.escape(data.unit)})", "Seeds run", "Seeds needed", "In doubt"]
    note = (
        "Seeds needed to find a true difference of this size with "
        f"{words.percent(data.comparison.method.power)} power "
        "(paired t test, before any adjustment for many tests): a plan, not a result. Where the "
        f"{data.period}s are in doubt, more seeds alone will not do: the test block is too short."
    )
    return (
        text
        + "\n\n"
        + details("How many seeds would the closest pairs need?", table(header, rows, "lrrrl") + "\n" + note)
    )


def _needed(data: ReportData, pair: Pair) -> list[str]:
    needed = pair.seeds.seeds_needed
    difference = words.gap(pair.seeds.mean or 0.0, pair.seeds.sd)
    doubt = f"{data.period}s" if pairs.open_by(pairs.view(pair, pair.a)) == "periods" else "seeds"
    return [
        f"{data.name(pair.a)} {words.MINUS} {data.name(pair.b)}",
        difference,
        words.number(pair.seeds.n, 0),
        _rounded(needed),
        doubt,
    ]


def _rounded(needed: int | None) -> str:
    """Return a number of seeds with two digits: it rests on a spread that is itself a guess."""
    if needed is None:
        return words.MISSING
    return words.number(needed, min(0, words.decimals_for(needed))) if needed < 10_000 else "over 10,000"
