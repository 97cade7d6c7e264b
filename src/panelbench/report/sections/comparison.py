"""Comparison: which differences are real."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure as Canvas
from numpy.typing import NDArray

from panelbench.compare.schema import Pair
from panelbench.report import choice, pairs, theme, words
from panelbench.report.colours import INK, MUTED, SHADE
from panelbench.report.data import ReportData
from panelbench.report.section import Section, details, table
from panelbench.report.theme import Layout

Float = NDArray[np.float64]
DIVERGING = LinearSegmentedColormap.from_list(
    "better_worse", ["#1b6ca8", "#9cc3e0", "#ffffff", "#f0b48a", "#b3501b"]
)
"""Blue: the row is better; orange: the row is worse. They stay apart for every colour blindness."""

BESIDE = 22
"""Letters of a name that fit beside a narrow matrix; longer ones stand below it, whole."""
NUMBERED = 14
"""Up to this many models the cells of the wide matrix carry their number."""


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where fewer than two models finished."""
    names = choice.finished(data)
    if len(names) < 2:
        return None
    sentence = _sentence(data, names)
    unit = words.escape(data.unit)
    caption = (
        f"RMSE of the row minus RMSE of the column ({unit}). Blue: the row is better; orange: the row is "
        "worse; grey: the two cannot be told apart (a dot: the model itself). Models in order of error; a "
        f"column has the number of its row. n = {data.comparison.test.n_periods} test {data.period}s; "
        f"seeds: {_seeds(data)}; {data.kind}. Colour is full at half the best model's error or more. "
        f"{choice.rule(data)}"
    ).strip()
    name = f"comparison{data.suffix}"
    figure = theme.draw(name, sentence, caption, lambda layout: _paint(data, names, layout))
    return Section("comparison", "Comparison", sentence, _body(data), (figure,))


def _sentence(data: ReportData, names: list[str]) -> str:
    every = data.comparison.pairs
    among = [pair for pair in every if pair.a in names and pair.b in names]
    separable = sum(pair.separable for pair in among)
    of = f"{words.plural(len(among), 'pair')} of models{' shown' if choice.folded(data) else ''}"
    sentence = f"{separable} of {of} can be told apart on this test block"
    if choice.folded(data):
        total = sum(pair.separable for pair in every)
        sentence += f" ({words.number(total, 0)} of {words.number(len(every), 0)} among all experiments)"
    beside = [name for name in pairs.tied_with(data, names[0]) if name in names]
    if beside:
        sentence += f"; the best cannot be told from {words.plural(len(beside), 'other', 'others')}"
    return f"{sentence}."


def _seeds(data: ReportData) -> str:
    counts = sorted({pair.seeds.n for pair in data.comparison.pairs if pair.seeds.n})
    if not counts:
        return "none in common, the models being deterministic"
    return "one run each" if counts[-1] == 1 else words.of_seeds(counts).removesuffix(" seeds")


def matrix(data: ReportData, names: list[str]) -> Float:
    """Return (k, k) differences row minus column; NaN where not separable and on the diagonal."""
    place = {name: row for row, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    for pair in data.comparison.pairs:
        if pair.separable and pair.a in place and pair.b in place:
            values[place[pair.a], place[pair.b]] = pair.difference
            values[place[pair.b], place[pair.a]] = -pair.difference
    return values


def _paint(data: ReportData, names: list[str], layout: Layout) -> Canvas:
    values, k = matrix(data, names), len(names)
    cell = max(12.0, min(46.0, 560 / k)) if not layout.narrow else max(7.0, min(26.0, 330 / k))
    above = layout.narrow and (k > 8 or max(len(data.label(name)) for name in names) > BESIDE)
    height = cell * k * (0.66 if not layout.narrow and k <= NUMBERED else 1.0) + (
        40 if not above else 44 + 15 * k
    )
    figure, grid = theme.canvas(layout, height)
    axes = grid[0, 0]
    limit = 0.5 * data.mean(names[0]) or 1.0
    axes.set_facecolor(SHADE)
    axes.imshow(
        np.clip(values, -limit, limit),
        cmap=DIVERGING,
        vmin=-limit,
        vmax=limit,
        aspect="auto",
        interpolation="none",
    )
    axes.set_xticks(range(k), [str(i + 1) for i in range(k)])
    axes.tick_params(axis="x", labeltop=True, labelbottom=False, length=0, pad=2)
    size = max(5.0, min(9.0, cell * 0.5))
    numbers = (
        [f"{i + 1}" for i in range(k)]
        if above
        else [
            f"{words.shorten(data.label(name), BESIDE if layout.narrow else 40)}  {i + 1}"
            for i, name in enumerate(names)
        ]
    )
    axes.set_yticks(range(k), numbers, fontsize=size)
    axes.tick_params(axis="x", labelsize=size)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.grid(False)
    axes.set_xticks(np.arange(k + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(k + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", lw=1.5)
    axes.tick_params(which="minor", length=0)
    if above:
        key = "\n".join(f"{i + 1}  {data.label(name)}" for i, name in enumerate(names))
        axes.set_xlabel(key, loc="left", fontsize=8.2, color=INK, linespacing=1.35)
    elif not layout.narrow and k <= NUMBERED:
        _write_numbers(axes, values, limit)
    axes.plot(range(k), range(k), "o", color=MUTED, ms=2.4, ls="")
    return figure


def _write_numbers(axes: Axes, values: Float, limit: float) -> None:
    for row, column in zip(*np.nonzero(np.isfinite(values)), strict=True):
        value = float(values[row, column])
        strong = abs(value) > 0.7 * limit
        text = words.signed(value, words.decimals_for(abs(value)))
        axes.text(column, row, text, ha="center", va="center", fontsize=7.6, color="white" if strong else INK)


def _body(data: ReportData) -> str:
    method = data.comparison.method
    text = (
        f"A pair counts as different only if neither another stretch of {data.period}s nor other seeds "
        "could plausibly turn it round, "
        "with both tests corrected for the number of pairs. Grey does not mean equal: it means that this "
        "test block cannot say."
    )
    weak = sum(pair.seeds.descriptive for pair in data.comparison.pairs if pair.seeds.n > 1)
    if weak:
        text += (
            f" With {_seeds(data).removeprefix('n = ')} seeds the assumption-free sign-flip test cannot "
            f"decide {words.plural(weak, 'pair')}, whatever the size of the "
            f"difference ({words.plural(method.seeds_to_pass, 'seed')} would be needed): its p values "
            "below are descriptive only."
        )
    reference = data.comparison.reference
    if reference is None:
        return text
    rows = [_reference_row(data, pair, reference) for pair in data.comparison.versus_reference]
    unit, level = words.escape(data.unit), words.percent(method.confidence)
    header = [
        "Model",
        f"Difference ({unit})",
        f"{level} over seeds",
        f"{level} over {data.period}s",
        "p (t)",
        "p (sign)",
        "p (DM)",
    ]
    rule = words.escape(words.lower_first(data.comparison.reference_rule).rstrip("."))
    note = (
        f"Difference: model minus {data.md(reference)} ({rule}); above zero, the model is worse. "
        f"{_common(data)} Over {data.period}s: moving blocks of {method.block_length}, "
        f"{words.number(method.resamples, 0)} resamples, seeds held fixed. These intervals hold for one row "
        "at a time; the group letters rest on wider ones that hold for all pairs at once.\n\n"
        f"The p values are adjusted over {method.reference_family} ({method.n_reference}; Holm). t: paired t "
        "test over seeds; sign: exact sign-flip test over seeds; DM: Diebold-Mariano test on the mean "
        f"squared error of each {data.period}."
    )
    chosen = data.comparison.confidence_set
    listed = words.listing([data.name(name) for name in chosen.included if name in data.experiments], limit=8)
    kept = (
        f"\n\nModel confidence set at {words.percent(1 - chosen.size)} (the models of which one is the best, "
        f"seeds held fixed, so that it leaves out more than the matrix): {listed}."
        if listed
        else ""
    )
    return (
        text
        + "\n\n"
        + details(
            f"Every model against {data.label(reference)}, with tests",
            f"{table(header, rows, 'lrrrrrr')}\n{note}{kept}",
        )
    )


def _common(data: ReportData) -> str:
    """Say over which seeds intervals are, and why a difference need not be in their middle."""
    runs = data.repeated(data.finished)
    more = (
        ", over the seeds that both have, while the difference is of the means over all seeds of each"
        if len(runs) > 1
        else ""
    )
    return f"Over seeds: paired t interval{more}."


def _reference_row(data: ReportData, pair: Pair, reference: str) -> list[str]:
    found = pairs.view(pair, pair.b if pair.a == reference else pair.a)
    halves = [pairs.half(ends) for ends in (found.seeds, found.periods) if ends]
    return [
        data.md(found.a),
        words.gap(found.difference, min((width for width in halves if width), default=None)),
        words.interval(*found.seeds, sign=True) if found.seeds else words.MISSING,
        words.interval(*found.periods, sign=True) if found.periods else words.MISSING,
        words.p_value(pair.seeds.p_t_holm),
        words.p_value(pair.seeds.p_sign_holm)
        + (" (descriptive)" if pair.seeds.p_sign_holm is not None and pair.seeds.descriptive else ""),
        words.p_value(pair.dm.p_holm),
    ]
