"""The section on what attention costs by the length of the window."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, NullLocator

from panelbench.models.registry import MODELS
from panelbench.probes.lengths import crossing, multiply_adds
from panelbench.probes.page.summary import FIGURES, ratio, said
from panelbench.probes.results import LengthsRow, Result
from panelbench.probes.settings import LengthsSettings
from panelbench.report import theme, words
from panelbench.report.colours import ACCENT, MUTED, looks
from panelbench.report.section import Section, table
from panelbench.report.theme import Layout

MODEL = "transformer"
UNIT = 1_000_000


def build(result: Result[LengthsRow], settings: LengthsSettings) -> Section:
    """Make the section."""
    rows = result.rows
    sentence = _sentence(rows, settings)
    rounds = words.plural(settings.rounds, "measurement")
    caption = (
        "A training step by length of the window (both axes logarithmic): milliseconds and MiB a window, "
        "and the multiply-adds of one encoder layer's forward pass, in millions. Points: median; bars: "
        f"lowest to highest of {rounds} (n = {settings.rounds}, each the fastest of three steps in a "
        "process of its own, one thread). Dashed: growth with the square of the length, drawn through the "
        "Transformer's longest window."
    )
    figure = theme.draw("lengths", sentence, caption, lambda layout: _paint(rows, settings, layout), FIGURES)
    machine = result.machine
    body = "\n\n".join(
        (
            said(
                "The cost of attention is quadratic in the length of the sequence: no matter at 26 steps, "
                "the central constraint at 10,000."
            ),
            "A layer of width 64 with 128 hidden units has a linear part (projections, feed-forward) that "
            f"is larger than the quadratic one (scores, weighted sums) up to {crossing()} steps, by count. "
            f"Where the time turns depends on the machine: {words.escape(machine['processor'])}, torch "
            f"{words.escape(machine['torch'])}.",
            _table(rows, settings),
        )
    )
    return Section("lengths", "What attention costs by length", sentence, body, (figure,))


def median(rows: Sequence[LengthsRow], model: str, length: int, key: str) -> float:
    """Return the median of a quantity over the measurements; NaN where the system did not tell."""
    found = [getattr(row, key) for row in rows if (row.model, row.length) == (model, length)]
    return float(np.median([math.nan if value is None else value for value in found]))


def power(rows: Sequence[LengthsRow], model: str, short: int, long: int, key: str = "seconds") -> float:
    """Return the power of the length by which a quantity grows between two lengths."""
    grown = median(rows, model, long, key) / median(rows, model, short, key)
    return math.log(grown) / math.log(long / short)


def _sentence(rows: Sequence[LengthsRow], settings: LengthsSettings) -> str:
    lengths = sorted(settings.lengths)
    first, last = lengths[0], lengths[-1]
    grown = median(rows, MODEL, last, "seconds") / median(rows, MODEL, first, "seconds")
    low = power(rows, MODEL, first, lengths[1])
    high = power(rows, MODEL, lengths[-2], last)
    sentence = (
        f"From {words.number(first, 0)} to {words.number(last, 0)} steps ({ratio(last / first)} times as "
        f"many) a Transformer's training step takes {ratio(grown)} times as long: time grows with the "
        f"length to the power of {words.number(low, 1)} at the short end and {words.number(high, 1)} at "
        "the long one (2 would be purely quadratic)"
    )
    others = [model for model in settings.models if model != MODEL]
    if others:
        told = words.listing(
            f"{words.number(power(rows, model, lengths[-2], last), 1)} for the "
            f"{words.escape(MODELS[model].label)}"
            for model in others
        )
        sentence += f"; {told}"
    memory = median(rows, MODEL, last, "mib")
    if math.isfinite(memory):
        sentence += f". The longest window takes {words.number(memory, 0)} MiB"
    return f"{sentence}."


def _table(rows: Sequence[LengthsRow], settings: LengthsSettings) -> str:
    lines = []
    for length in sorted(settings.lengths):
        linear, quadratic = multiply_adds(length)
        cells = [words.number(length, 0)]
        for model in settings.models:
            seconds, mib = (median(rows, model, length, key) for key in ("seconds", "mib"))
            cells.append(f"{words.number(1000 * seconds, 2)}; {words.number(mib, 2)}")
        cells += [words.number(linear / UNIT, 2), words.number(quadratic / UNIT, 2)]
        lines.append(cells)
    header = [
        "Steps",
        *(f"{words.escape(MODELS[model].label)}, ms; MiB" for model in settings.models),
        "Linear part",
        "Quadratic part",
    ]
    return table(header, lines, "r" * len(header)) + (
        "\nMedian of the measurements, a window. Parts: multiply-adds of one layer's forward pass, "
        "in millions."
    )


def _paint(rows: Sequence[LengthsRow], settings: LengthsSettings, layout: Layout) -> Canvas:
    columns = layout.columns(3, 3)
    lines = -(-3 // columns)
    figure, grid = theme.canvas(layout, (250 if layout.narrow else 320) * lines + 50, lines, columns)
    one, two, three = grid.flat
    lengths = sorted(settings.lengths)
    for axes, key, factor, title in ((one, "seconds", 1000, "Time, ms"), (two, "mib", 1, "Memory, MiB")):
        _measured(axes, rows, settings, key, factor)
        _finish(axes, lengths, title, layout)
    parts = np.array([multiply_adds(length) for length in lengths]) / UNIT
    three.plot(lengths, parts[:, 0], "-s", color=MUTED, ms=4, label="linear part")
    three.plot(lengths, parts[:, 1], "-^", color=ACCENT, ms=4, label="quadratic part")
    three.axvline(crossing(), color=MUTED, lw=0.8, ls=":")
    three.legend(loc="upper left")
    _finish(three, lengths, "Multiply-adds, millions", layout)
    figure.legend(
        *one.get_legend_handles_labels(), loc="outside lower center", ncols=2 if layout.narrow else 4
    )
    return figure


def _measured(
    axes: Axes, rows: Sequence[LengthsRow], settings: LengthsSettings, key: str, factor: float
) -> None:
    lengths = np.array(sorted(settings.lengths))
    look = looks({model: model for model in settings.models})
    for model in settings.models:
        style = look[model]
        middle = np.array([factor * median(rows, model, int(length), key) for length in lengths])
        for length in lengths:
            values = [getattr(row, key) for row in rows if (row.model, row.length) == (model, length)]
            known = [factor * value for value in values if value is not None]
            if known:
                axes.plot([length, length], [min(known), max(known)], color=style.colour, lw=2.5, alpha=0.5)
        axes.plot(
            lengths, middle, style.line, color=style.colour, marker=style.marker, ms=4, mec="white", mew=0.5,
            label=MODELS[model].label,
        )  # fmt: skip
        if model == MODEL and np.isfinite(middle[-1]):
            guide = middle[-1] * (lengths / lengths[-1]) ** 2
            axes.plot(lengths, guide, "--", color=MUTED, lw=1, label="square of the length", zorder=0)


def _finish(axes: Axes, lengths: list[int], title: str, layout: Layout) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(title)
    axes.set_xlabel("Steps in the window")
    axes.xaxis.set_major_locator(FixedLocator(lengths[:: 2 if len(lengths) > 4 else 1]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    theme.thousands(axes.xaxis)
    theme.thousands(axes.yaxis)
    if not layout.narrow:
        axes.tick_params(axis="x", labelrotation=45)
