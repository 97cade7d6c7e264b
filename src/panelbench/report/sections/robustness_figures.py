"""The pictures of robustness: ranks over protocols, and the grid of verdicts by protocol."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from panelbench.compare.robustness_schema import Outcome, Robustness
from panelbench.report import theme, words
from panelbench.report.colours import ACCENT, ALARM, FAINT, INK, MUTED
from panelbench.report.data import ReportData
from panelbench.report.section import Figure
from panelbench.report.theme import POINTS, Layout

SMALL = 10.5 * POINTS
MARKS: dict[Outcome, tuple[str, str, str]] = {
    "holds": ("o", ACCENT, "holds"),
    "not_separable": ("_", MUTED, "cannot tell"),
    "reversed": ("X", ALARM, "reversed"),
    "not_testable": (".", FAINT, "not testable"),
}
"""Marker, colour and name of each outcome; the shapes differ, so the picture also reads without colour."""


def ranks(data: ReportData, found: Robustness) -> Figure:
    """Draw one line a role through its rank under each protocol."""
    level = words.percent(found.confidence)
    alt = _ranks_alt(found)
    caption = (
        "Rank of each model by mean error (1 is best), one row a protocol. A full dot is a rank that "
        f"retraining leaves no doubt about ({level}, over all of a model's comparisons, paired over seeds); "
        "a hollow one could have been another, and the table below says which."
    )
    return theme.draw("robustness-ranks", alt, caption, lambda layout: _paint_ranks(data, found, layout))


def _ranks_alt(found: Robustness) -> str:
    first = {
        name: min(ranked, key=lambda role: ranked[role])
        for name, protocol in found.protocols.items()
        if (ranked := {role: one.rank for role, one in protocol.scores.items() if one.rank is not None})
    }
    if not first:
        return "No model finished under any protocol."
    leaders = {role: sum(one == role for one in first.values()) for role in first.values()}
    label = {role: found.protocols[str(found.baseline)].scores[role].label for role in found.roles}
    parts = [
        f"{label[role]} in {count}" for role, count in sorted(leaders.items(), key=lambda item: -item[1])
    ]
    return (
        f"First of {len(found.roles)} under {words.plural(len(first), 'protocol')}: {words.listing(parts)}."
    )


def _paint_ranks(data: ReportData, found: Robustness, layout: Layout) -> Canvas:
    protocols = list(found.protocols.values())
    # On a narrow screen names beside the rows would leave no width and above them lie on the lines.
    key = 16 * len(protocols) + 24 if layout.narrow else 0
    figure, grid = theme.canvas(layout, 36 * len(protocols) + (96 if layout.narrow else 78) + key)
    axes = grid[0, 0]
    baseline = protocols[0]
    for role in found.roles:
        colour = data.looks[baseline.scores[role].experiment].colour
        spots = [
            (row, score)
            for row, protocol in enumerate(protocols)
            if (score := protocol.scores[role]).rank is not None
        ]
        axes.plot([one.rank for _, one in spots], [row for row, _ in spots], color=colour, lw=2.2, alpha=0.85)
        for row, one in spots:
            certain = one.rank_low == one.rank_high
            face = colour if certain else "white"
            axes.plot([one.rank], [row], "o", color=colour, ms=9, mfc=face, mec=colour, mew=1.8, zorder=4)
    axes.set_xlim(0.55, len(found.roles) + 0.45)
    axes.set_ylim(len(protocols) - 0.45, -0.55)
    axes.set_xticks(range(1, len(found.roles) + 1))
    axes.set_xlabel("Rank by mean error (1 is best)")
    titles = [f"({row}) {words.shorten(one.title, 44)}" for row, one in enumerate(protocols, start=1)]
    if layout.narrow:
        axes.set_yticks(range(len(titles)), [f"({row})" for row in range(1, len(titles) + 1)])
        text = "\n".join(["Rank by mean error (1 is best)", "", *titles])
        axes.set_xlabel(text, loc="left", linespacing=1.35)
    else:
        axes.set_yticks(range(len(titles)), titles)
    axes.grid(axis="y", visible=False)
    _names(data, found, axes, layout)
    return figure


def _names(data: ReportData, found: Robustness, axes: Axes, layout: Layout) -> None:
    """Name the lines where they start, above the baseline's row; ties stand beside each other."""
    baseline = next(iter(found.protocols.values()))
    for role in found.roles:
        score = baseline.scores[role]
        if score.rank is None:
            continue
        name = words.shorten(data.label(score.experiment), 24)
        axes.text(
            score.rank,
            1.012,
            name if layout.narrow else words.wrap(name, 11),
            transform=axes.get_xaxis_transform(),
            rotation=55 if layout.narrow else 0,
            rotation_mode="anchor",
            ha="left" if layout.narrow else "center",
            va="bottom",
            color=data.looks[score.experiment].colour,
            fontsize=SMALL,
            fontweight="bold",
        )


def repeats(found: Robustness, verdict: str) -> set[str]:
    """Return the protocols under which a verdict rests on the very runs of an earlier protocol."""
    seen, again = set(), set()
    for name in found.verdicts[verdict].cells:
        protocol = found.protocols[name]
        players = tuple(protocol.scores[role].experiment for role in found.verdicts[verdict].roles)
        key = (players, protocol.seeds, protocol.metric)
        if key in seen:
            again.add(name)
        seen.add(key)
    return again


def grid(found: Robustness) -> Figure:
    """Draw one mark a verdict and protocol."""
    cells = [
        cell
        for key, one in found.verdicts.items()
        for name, cell in one.cells.items()
        if name not in repeats(found, key)
    ]
    counts = {outcome: sum(cell.outcome == outcome for cell in cells) for outcome in MARKS}
    alt = (
        f"Of {len(cells)} verdicts by protocol with runs of their own, "
        + words.listing(f"{count} {MARKS[outcome][2]}" for outcome, count in counts.items() if count)
        + "."
    )
    numbered = "; ".join(
        f"({row}) {words.escape(one.title)}" for row, one in enumerate(found.protocols.values(), start=1)
    )
    small = (
        " A small mark repeats the runs of an earlier protocol, since this one changes neither model."
        if any(repeats(found, name) for name in found.verdicts)
        else ""
    )
    level = words.percent(found.confidence)
    caption = (
        f"Verdict by protocol, decided by the paired {level} interval over seeds (n and interval of each in "
        f"the folded tables below).{small} Protocols: {numbered}."
    )
    return theme.draw("robustness-grid", alt, caption, lambda layout: _paint_grid(found, layout))


def _paint_grid(found: Robustness, layout: Layout) -> Canvas:
    verdicts = list(found.verdicts.values())
    step = 40 if layout.narrow else 26
    figure, axes_grid = theme.canvas(layout, step * len(verdicts) + 74)
    axes = axes_grid[0, 0]
    for row, (key, verdict) in enumerate(found.verdicts.items()):
        axes.axhline(row, color=FAINT, lw=0.6, zorder=0)
        again = repeats(found, key)
        for column, (name, cell) in enumerate(verdict.cells.items(), start=1):
            marker, colour, _ = MARKS[cell.outcome]
            size, thick = (3.5, 1.2) if name in again else (8, 2)
            axes.plot([column], [row], marker, color=colour, ms=size, mew=thick if marker == "_" else 0)
    count = len(found.protocols)
    axes.set_xlim(0.4, count + 0.6)
    axes.set_ylim(len(verdicts) - 0.4, -0.9 if layout.narrow else -0.6)
    axes.set_xticks(range(1, count + 1))
    axes.set_xlabel("Protocol")
    theme.row_labels(axes, [words.shorten(words.capital(one.title), 44) for one in verdicts], layout)
    theme.bare(axes)
    shown = {cell.outcome for one in verdicts for cell in one.cells.values()}
    handles = [
        Line2D([], [], ls="", marker=marker, color=colour, ms=8, mew=2 if marker == "_" else 0, label=name)
        for outcome, (marker, colour, name) in MARKS.items()
        if outcome in shown
    ]
    axes.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(handles), borderaxespad=0,
        handletextpad=0.1, columnspacing=0.9, labelcolor=INK,
    )  # fmt: skip
    return figure
