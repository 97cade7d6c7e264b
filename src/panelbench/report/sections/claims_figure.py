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
NAMES: dict[Verdict, str] = {
    "reproduced": "reproduced",
    "within_spread": "within run-to-run spread",
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
    """Draw every claim that publishes an RMSE or a difference of two; nothing where none does."""
    scores = [_row(data, one) for one in ledger.claims if _drawn(one, "score")]
    gaps = [_row(data, one) for one in ledger.claims if _drawn(one, "difference")]
    panels = [
        (title, _sorted(rows))
        for title, rows in (
            (f"RMSE ({data.unit})", scores),
            (f"difference in RMSE ({data.unit})", gaps),
        )
        if rows
    ]
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
        "Published (hollow) against measured (filled) test errors and paired differences, by verdict: "
        "blue reproduced, grey within run-to-run spread, red contradicted. The bar is where as many further "
        f"runs as were published would fall ({level}, over seeds); a model without randomness has none."
    )
    return (theme.draw("claims", alt, caption, lambda layout: _paint(panels, layout)),)


def _drawn(one: JudgedClaim, measure: str) -> bool:
    return (
        one.measure == measure
        and one.metric == "rmse"
        and one.verdict in NAMES
        and one.measured is not None
        and isinstance(one.published, (int, float))
    )


def _row(data: ReportData, one: JudgedClaim) -> Row:
    names = [words.shorten(data.label(name), 36 if len(one.subjects) == 1 else 22) for name in one.subjects]
    label = names[0] if len(names) == 1 else f"{names[0]} {words.MINUS} {names[1]}"
    if one.runs and one.runs > 2 and one.measure == "score":
        label = f"{label}, {one.runs} runs"
    assert one.measured is not None  # noqa: S101 - `_drawn` chose those with both figures
    assert isinstance(one.published, (int, float))  # noqa: S101
    return Row(label, float(one.published), one.measured, one.low, one.high, one.verdict)


def _sorted(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (list(NAMES).index(row.verdict), row.published))


def _paint(panels: Sequence[tuple[str, list[Row]]], layout: Layout) -> Canvas:
    step = 36 if layout.narrow else 21
    heights = [step * (len(rows) + 0.8) + 34 for _, rows in panels]
    figure, grid = theme.canvas(layout, sum(heights) + 26, len(panels), 1, height_ratios=heights)
    for axes, (title, rows) in zip(grid.flat, panels, strict=True):
        _panel(axes, rows, layout)
        axes.set_xlabel(title)
    _legend(grid[0, 0])
    return figure


def _panel(axes: Axes, rows: Sequence[Row], layout: Layout) -> None:
    points = [value for row in rows for value in (row.published, row.measured)]
    room = 0.06 * (max(points) - min(points)) or 1.0
    low, high = min(points) - room, max(points) + room
    # Two published runs make for very wide bars; the axis is the points', and a bar may run off it.
    axes.set_xlim(low - 2 * room, high + 2 * room)
    axes.set_ylim(len(rows) - 0.4, -0.95 if layout.narrow else -0.7)
    left, right = axes.get_xlim()
    for place, row in enumerate(rows):
        colour = COLOURS[row.verdict]
        if row.low is not None and row.high is not None:
            ends = [max(row.low, left), min(row.high, right)]
            axes.plot(ends, [place, place], color=mix(colour, "#ffffff", 0.72), lw=5, zorder=1)
        axes.plot([row.published, row.measured], [place, place], color=colour, lw=1.2, zorder=2)
        axes.plot([row.measured], [place], "o", color=colour, ms=5, zorder=3)
        axes.plot([row.published], [place], "o", mfc="none", mec=colour, mew=1.3, ms=8.5, zorder=4)
    _groups(axes, rows, layout)
    theme.row_labels(axes, [row.label for row in rows], layout)
    theme.few_ticks(axes, layout)
    axes.grid(axis="y", visible=False)


def _groups(axes: Axes, rows: Sequence[Row], layout: Layout) -> None:
    """Name the verdict at the first row of each group, and part the groups by a line."""
    above = 0.82 if layout.narrow else 0.5
    for place, row in enumerate(rows):
        if place and row.verdict == rows[place - 1].verdict:
            continue
        if place:
            axes.axhline(place - above, color=MUTED, lw=0.6, ls=(0, (2, 3)))
        name = "undecided" if layout.narrow and row.verdict == "within_spread" else NAMES[row.verdict]
        axes.text(
            0.995, place - (0.3 if layout.narrow else 0), name, transform=axes.get_yaxis_transform(),
            ha="right", va="center", color=COLOURS[row.verdict], fontsize=11.5 * theme.POINTS,
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
