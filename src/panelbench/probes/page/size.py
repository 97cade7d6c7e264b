"""The section on the amount of data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, NullLocator

from panelbench.models.registry import MODELS
from panelbench.probes.page.summary import FIGURES, Mean, mean_of, said, told
from panelbench.probes.results import Result, SizeRow
from panelbench.probes.settings import SizeSettings
from panelbench.report import theme, words
from panelbench.report.colours import BASELINES, looks
from panelbench.report.section import Section, details, table
from panelbench.report.strip import limit
from panelbench.report.theme import Layout

Curves = dict[str, dict[float, Mean]]
"""Error by model and share of the panel."""


def build(result: Result[SizeRow], settings: SizeSettings) -> Section:
    """Make the section."""
    found, windows = curves(result.rows, settings), counts(result.rows)
    sentence = _sentence(found, windows, settings)
    training, panel = settings.training, settings.panel
    caption = (
        "RMSE (units) on the test block of one synthetic panel "
        f"({words.plural(panel.series, 'series', 'series')}, {panel.test_steps} weeks) by number of "
        "training windows (log scale): shares of the panel's latest windows, all of them (filled), and "
        f"those of larger panels that hold it. {told(settings.seeds, settings.confidence)} Models that the "
        f"seed does not change: one fit, which no interval surrounds. Intervals are each model's own, not "
        f"adjusted for the number of pairs. Networks: {words.number(training.updates, 0)} updates of "
        f"{training.batch_size} windows at every size."
    )
    figure = theme.draw("size", sentence, caption, lambda layout: _paint(found, windows, layout), FIGURES)
    body = "\n\n".join(
        (
            said(
                "Some 6,000 windows of 26 weeks are not the regime where attention pays: small and linear "
                "models win there, and it takes more data to turn the order."
            ),
            "Equal updates keep the training effort apart from the data: on little data a network sees each "
            "window many times, on the largest panel not all of them once. Trees and linear models learn "
            "from all windows that have every one of their features, which may go back a year further. The "
            "panel is made up, so the sizes at which lines cross are this generator's and not those of real "
            "sales.",
            details("Errors at every size", _table(found, windows)),
        )
    )
    return Section("size", "Whether more data turns the order", sentence, body, (figure,))


def curves(rows: Sequence[SizeRow], settings: SizeSettings) -> Curves:
    """Return the mean error of every model on every amount of data."""
    shares = sorted({row.share for row in rows})
    return {
        name: {
            share: mean_of(
                (row.error for row in rows if (row.model, row.share) == (name, share)), settings.confidence
            )
            for share in shares
        }
        for name in settings.models
    }


def counts(rows: Sequence[SizeRow]) -> dict[float, int]:
    """Return the number of training windows at each share."""
    return {row.share: row.windows for row in sorted(rows, key=lambda row: row.share)}


def turned(found: Curves, first: float, last: float) -> list[tuple[str, str]]:
    """Return the pairs (a, b) in which a is better at `first` and b at `last`.

    Only those whose intervals are apart at both ends.
    """
    pairs = []
    for one, other in combinations(found, 2):
        for a, b in ((one, other), (other, one)):
            before = found[a][first].ends[1] < found[b][first].ends[0]
            after = found[b][last].ends[1] < found[a][last].ends[0]
            if before and after:
                pairs.append((a, b))
    return pairs


def best(found: Curves, share: float) -> str:
    """Return the model with the lowest mean error at a size."""
    return min(found, key=lambda name: (found[name][share].mean, name))


def _label(name: str) -> str:
    return words.escape(MODELS[name].label if name in MODELS else name.replace("_", " "))


def _sentence(found: Curves, windows: dict[float, int], settings: SizeSettings) -> str:
    shares = list(windows)
    runs: list[tuple[float, str]] = []
    for share in shares:
        winner = best(found, share)
        if not runs or runs[-1][1] != winner:
            runs.append((share, winner))
    if len(runs) == 1:
        leaders = (
            f"{_label(runs[0][1])} has the lowest error at every size, from "
            f"{words.number(windows[shares[0]], 0)} to {words.number(windows[shares[-1]], 0)} windows"
        )
    else:
        told_runs = [
            f"{_label(name)} from {words.number(windows[share], 0)} windows on" for share, name in runs
        ]
        leaders = f"The lowest error has {words.listing(told_runs)}"
    first, last = shares[0], shares[-1]
    pairs = turned(found, first, last)
    total = len(found) * (len(found) - 1) // 2
    if not pairs:
        turn = (
            f"between the smallest and the largest amount none of {total} pairs of models turns with "
            "intervals apart at both ends"
        )
    else:
        listed = words.listing(
            (f"{_label(b)} overtakes {words.lower_first(_label(a))}" for a, b in pairs), limit=5
        )
        turn = (
            f"of {total} pairs {len(pairs)} turn{'s' if len(pairs) == 1 else ''} with intervals apart at "
            f"both ends: {listed}"
        )
    networks = [name for name, own in settings.models.items() if own["model"] == "transformer"]
    place = ""
    if networks:
        ranks = [1 + sum(found[o][s].mean < found[networks[0]][s].mean for o in found) for s in (first, last)]
        place = (
            f" The Transformer goes from place {ranks[0]} to place {ranks[1]} of {len(found)}."
            if ranks[0] != ranks[1]
            else f" The Transformer is at place {ranks[0]} of {len(found)} at both ends."
        )
    return f"{leaders}; {turn}.{place}"


def _table(found: Curves, windows: dict[float, int]) -> str:
    header = ["Model", *(f"{words.number(count, 0)}" for count in windows.values())]
    rows = []
    for name, curve in found.items():
        cells = [_label(name)]
        for share in windows:
            one = curve[share]
            spread = f" ({words.spread(one.sd)})" if one.sd is not None else ""
            lost = f", {one.lost} diverged" if one.lost else ""
            cells.append(f"{words.with_spread(one.mean, one.sd)}{spread}{lost}")
        rows.append(cells)
    return table(header, rows, "l" + "r" * len(windows)) + (
        "\nMean RMSE, in brackets the standard deviation over seeds; columns are training windows."
    )


def _paint(found: Curves, windows: dict[float, int], layout: Layout) -> Canvas:
    figure, grid = theme.canvas(layout, 470 if layout.narrow else 430)
    axes = grid[0, 0]
    look = looks({name: name for name in found})
    counted = list(windows.values())
    for name, curve in found.items():
        style = look[name]
        ends = [curve[share].ends for share in windows]
        axes.fill_between(counted, *zip(*ends, strict=True), color=style.colour, alpha=0.14, lw=0)
        means = [curve[share].mean for share in windows]
        axes.plot(counted, means, style.line, color=style.colour, label=_plain(name))
        for x, y, share in zip(counted, means, windows, strict=True):
            face = style.colour if share == 1 else "white"
            axes.plot(x, y, style.marker, color=style.colour, mfc=face, ms=5)
    learned = [one.mean for name, curve in found.items() if name not in BASELINES for one in curve.values()]
    axes.set_ylim(0, 1.05 * limit(learned))
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(counted[:: 2 if layout.narrow else 1]))
    axes.xaxis.set_minor_locator(NullLocator())
    theme.thousands(axes.xaxis)
    axes.tick_params(axis="x", rotation=0 if not layout.narrow else 30)
    axes.set_xlabel("Training windows (log scale)")
    theme.error_axis(axes, layout, "RMSE (units)", "y")
    figure.legend(loc="outside lower center", ncols=2 if layout.narrow else 4)
    return figure


def _plain(name: str) -> str:
    return words.plain(_label(name))
