"""The picture of the ledger: published against measured errors on one axis, and differences on a second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from panelbench.compare.claims.rules import Verdict
from panelbench.compare.claims.schema import JudgedClaim, JudgedLedger
from panelbench.report import theme, words
from panelbench.report.colours import ACCENT, ALARM, INK, MUTED, mix
from panelbench.report.data import ReportData
from panelbench.report.section import Figure
from panelbench.report.theme import Layout

COLOURS: dict[Verdict, str] = {"reproduced": ACCENT, "within_spread": MUTED, "contradicted": ALARM}
UNITS = {"rmse": " ({})", "mse": " ({}²)", "mae": " ({})", "rmsse": "", "wape": ""}
"""How a measure's axis names its unit."""
NAMES: dict[Verdict, str] = {
    "reproduced": "reproduced",
    "within_spread": "undecided",
    "contradicted": "contradicted",
}


@dataclass(frozen=True)
class Row:
    """One claim on the axis."""

    label: str
    published: float
    measured: float
    low: float | None
    high: float | None
    verdict: Verdict


def build(data: ReportData, ledger: JudgedLedger) -> tuple[Figure, ...]:
    """Draw every claim that publishes an error or a difference of two; nothing where none does.

    Each error measure has axes of its own, and so have the differences in it.
    """
    found = [one for one in ledger.claims if _drawn(one)]
    panels = []
    for metric in [name for name in UNITS if any(one.metric == name for one in found)]:
        title = f"{metric.upper()}{UNITS[metric].format(data.unit)}"
        for measure, start in (("score", ""), ("difference", "Difference in ")):
            rows = [_row(data, one) for one in found if (one.metric, one.measure) == (metric, measure)]
            if rows:
                panels.append((f"{start}{title}", _sorted(rows)))
    if not panels:
        return ()
    shown = [row for _, rows in panels for row in rows]
    counts = {verdict: sum(row.verdict == verdict for row in shown) for verdict in NAMES}
    alt = (
        f"Of {words.plural(len(shown), 'published error')}, "
        + words.listing(f"{count} {NAMES[verdict]}" for verdict, count in counts.items() if count)
        + "."
    )
    level = words.percent(ledger.confidence)
    caption = (
        f"The {len(shown)} of {words.plural(len(ledger.claims), 'claim')} that publish an error or a "
        "difference of two errors: published (hollow) against measured (filled), by verdict: blue "
        "reproduced, grey undecided (within run-to-run spread), red contradicted. The number of runs is that "
        "of the measured figure. The pale bar is where as many further runs as were published would fall "
        f"({level}, over seeds); a model without randomness has none, and a bar may run off the axis."
    )
    return (theme.draw("claims", alt, caption, lambda layout: _paint(panels, layout)),)


def _drawn(one: JudgedClaim) -> bool:
    return (
        one.measure in {"score", "difference"}
        and one.metric in UNITS
        and one.verdict in NAMES
        and one.measured is not None
        and isinstance(one.published, (int, float))
    )


def _row(data: ReportData, one: JudgedClaim) -> Row:
    names = [words.shorten(data.label(name), 38) for name in one.subjects]
    label = names[0] if len(names) == 1 else f"{names[0]}\n{words.MINUS} {names[1]}"
    if one.n and one.low is not None:
        label = f"{label}, {words.plural(one.n, 'run')}"
    assert one.measured is not None  # noqa: S101 - `_drawn` chose those with both figures
    assert isinstance(one.published, (int, float))  # noqa: S101
    return Row(label, float(one.published), one.measured, one.low, one.high, one.verdict)


def _sorted(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (list(NAMES).index(row.verdict), row.published))


def _paint(panels: Sequence[tuple[str, list[Row]]], layout: Layout) -> Canvas:
    steps = [_step(rows, layout) for _, rows in panels]
    heights = [step * (_places(rows)[-1] + 1.4) + 34 for step, (_, rows) in zip(steps, panels, strict=True)]
    figure, grid = theme.canvas(layout, sum(heights) + 26, len(panels), 1, height_ratios=heights)
    for axes, (title, rows) in zip(grid.flat, panels, strict=True):
        _panel(axes, rows, layout)
        axes.set_xlabel(title)
    _legend(grid[0, 0])
    return figure


def _step(rows: Sequence[Row], layout: Layout) -> int:
    """Return the pixels of a row, more where labels have two lines."""
    two = any("\n" in row.label for row in rows)
    if layout.narrow:
        return 52 if two else 36
    return 33 if two else 21


def _places(rows: Sequence[Row]) -> list[float]:
    """Return each row's place, with room for a heading before the first row of a verdict."""
    places, place = [], -1.0
    for index, row in enumerate(rows):
        place += 2.0 if not index or row.verdict != rows[index - 1].verdict else 1.0
        places.append(place)
    return places


def _panel(axes: Axes, rows: Sequence[Row], layout: Layout) -> None:
    points = [value for row in rows for value in (row.published, row.measured)]
    room = 0.06 * (max(points) - min(points)) or 1.0
    low, high = min(points) - room, max(points) + room
    # Two published runs make for very wide bars; the axis is the points', and a bar may run off it.
    axes.set_xlim(low - 2 * room, high + 2 * room)
    places = _places(rows)
    axes.set_ylim(places[-1] + 0.6, -0.6)
    left, right = axes.get_xlim()
    for place, row in zip(places, rows, strict=True):
        colour = COLOURS[row.verdict]
        if row.low is not None and row.high is not None:
            ends = [max(row.low, left), min(row.high, right)]
            axes.plot(ends, [place, place], color=mix(colour, "#ffffff", 0.72), lw=5, zorder=1)
        axes.plot([row.published, row.measured], [place, place], color=colour, lw=1.2, zorder=2)
        axes.plot([row.measured], [place], "o", color=colour, ms=5, zorder=3)
        axes.plot([row.published], [place], "o", mfc="none", mec=colour, mew=1.3, ms=8.5, zorder=4)
    _headings(axes, rows, places)
    theme.row_labels(axes, [row.label for row in rows], layout, places)
    theme.few_ticks(axes, layout)
    axes.grid(axis="y", visible=False)


def _headings(axes: Axes, rows: Sequence[Row], places: Sequence[float]) -> None:
    """Name each verdict above its first row, where no bar can cover it."""
    for index, (place, row) in enumerate(zip(places, rows, strict=True)):
        if index and row.verdict == rows[index - 1].verdict:
            continue
        count = sum(other.verdict == row.verdict for other in rows)
        axes.text(
            0.005, place - 1, words.capital(f"{NAMES[row.verdict]}: {count}"),
            transform=axes.get_yaxis_transform(), ha="left", va="center", color=COLOURS[row.verdict],
            fontsize=11.5 * theme.POINTS, fontweight="bold",
        )  # fmt: skip


def _legend(axes: Axes) -> None:
    """Say what the two marks are, above the first panel."""
    handles = [
        Line2D([], [], ls="", marker="o", color=INK, ms=5, label="measured"),
        Line2D([], [], ls="", marker="o", mfc="none", mec=INK, mew=1.3, ms=8.5, label="published"),
    ]
    axes.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0, handletextpad=0.2,
        columnspacing=1.2,
    )  # fmt: skip
