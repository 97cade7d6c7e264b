"""The section on the cost of heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from matplotlib.figure import Figure as Canvas

from panelbench.probes.page.summary import FIGURES, Mean, mean_of, said, told
from panelbench.probes.results import HeadsRow, Result
from panelbench.probes.settings import HeadsSettings
from panelbench.report import theme, words
from panelbench.report.colours import HUES
from panelbench.report.section import Section, table
from panelbench.report.theme import Layout

Key = Literal["seconds", "error"]


def build(result: Result[HeadsRow], settings: HeadsSettings) -> Section:
    """Make the section."""
    rows = result.rows
    sentence = _sentence(rows, settings)
    caption = (
        "Processor seconds of a fit with one thread, and RMSE (units) on the test block of the synthetic "
        "panel, by number of heads at equal width. Dots: single seeds. Bars: "
        f"{told(settings.seeds, settings.confidence).lower()} {words.number(settings.training.updates, 0)} "
        f"updates of {settings.training.batch_size} windows."
    )
    figure = theme.draw("heads", sentence, caption, lambda layout: _paint(rows, settings, layout), FIGURES)
    body = (
        said(
            "h heads of width d / h cost about the same as one head of full width: the projections have "
            "the same weights, and the scores as many multiplications; what several heads allow is to look "
            "at several things at once."
        )
        + "\n\n"
        + _table(rows, settings)
    )
    return Section("heads", "What several heads cost", sentence, body, (figure,))


def paired(rows: Sequence[HeadsRow], heads: int, against: int, key: Key, confidence: float) -> Mean:
    """Return the relative change of a quantity against another number of heads, paired by seed."""
    of = {(row.heads, row.seed): getattr(row, key) for row in rows}
    seeds = sorted({row.seed for row in rows})
    changes: list[float | None] = []
    for seed in seeds:
        new, old = of[heads, seed], of[against, seed]
        changes.append(None if new is None or old is None else new / old - 1)
    return mean_of(changes, confidence)


def _sentence(rows: Sequence[HeadsRow], settings: HeadsSettings) -> str:
    base, most = settings.heads[0], settings.heads[-1]
    seconds = paired(rows, most, base, "seconds", settings.confidence)
    error = paired(rows, most, base, "error", settings.confidence)
    counts = {row.heads: row.parameters for row in rows}
    weights = (
        f"with the same {words.number(counts[base], 0)} parameters"
        if counts[base] == counts[most]
        else f"with {words.number(counts[most], 0)} parameters instead of {words.number(counts[base], 0)}"
    )
    named = f"{words.plural(most, 'head')} instead of {words.number(base, 0)}"
    return (
        f"{words.capital(named)}, {weights}: {_change(seconds, 'processor time')}; {_change(error, 'error')}."
    )


def _change(found: Mean, what: str) -> str:
    if not found.n:
        return f"no seed has both for {what}"
    size = words.percent(abs(found.mean), 1)
    if found.low is None or found.high is None:
        return f"{what} {size} {'more' if found.mean > 0 else 'less'} (one seed, no interval)"
    ends = f"{words.signed(100 * found.low, 1)}% to {words.signed(100 * found.high, 1)}%"
    if found.low <= 0 <= found.high:
        return f"no difference in {what} that can be told from chance ({ends})"
    higher = found.mean > 0
    if what == "error":
        return f"an error {size} {'higher' if higher else 'lower'} ({ends})"
    return f"{size} {'more' if higher else 'less'} {what} ({ends})"


def _table(rows: Sequence[HeadsRow], settings: HeadsSettings) -> str:
    lines = []
    for heads in settings.heads:
        own = [row for row in rows if row.heads == heads]
        seconds = mean_of((row.seconds for row in own), settings.confidence)
        error = mean_of((row.error for row in own), settings.confidence)
        lines.append(
            [
                words.number(heads, 0),
                words.number(own[0].parameters, 0),
                f"{words.with_spread(seconds.mean, seconds.sd)} ({words.spread(seconds.sd)})",
                f"{words.with_spread(error.mean, error.sd)} ({words.spread(error.sd)})",
            ]
        )
    return table(["Heads", "Parameters", "Processor seconds", "RMSE"], lines, "lrrr") + (
        "\nMean over seeds, in brackets the standard deviation. The sentence's intervals are of the "
        f"change, paired by seed ({words.percent(settings.confidence)} t interval, "
        f"{words.of_seeds([len(settings.seeds)])})."
    )


def _paint(rows: Sequence[HeadsRow], settings: HeadsSettings, layout: Layout) -> Canvas:
    figure, grid = theme.canvas(layout, 60 + 46 * len(settings.heads) + 60, 1, 2, sharey=True)
    colour = HUES["transformer"]
    parts: tuple[tuple[Key, str], ...] = (("seconds", "Processor seconds"), ("error", "RMSE (units)"))
    for axes, (key, title) in zip(grid[0], parts, strict=True):
        for place, heads in enumerate(settings.heads):
            values = [getattr(row, key) for row in rows if row.heads == heads]
            kept = [value for value in values if value is not None]
            found = mean_of(values, settings.confidence)
            axes.plot(found.ends, [place, place], color=colour, lw=5, alpha=0.35, solid_capstyle="butt")
            axes.plot(kept, [place] * len(kept), "o", color=colour, ms=5, mec="white", mew=0.6)
        axes.set_xlabel(title)
        axes.set_xlim(left=0)
        axes.set_ylim(len(settings.heads) - 0.5, -0.5)
        theme.few_ticks(axes, layout)
    grid[0, 0].set_yticks(
        range(len(settings.heads)), [words.plural(heads, "head") for heads in settings.heads]
    )
    return figure
