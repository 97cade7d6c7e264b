"""Other tasks: forecasts of another number of steps, compared among themselves."""

from __future__ import annotations

from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import Figure, Section, bold
from panelbench.report.sections import ablations, board, caution, comparison, first, leaky, steps


def build(data: ReportData) -> Section | None:
    """Make the section; nothing where all experiments forecast the same number of steps."""
    others = data.others
    if not others:
        return None
    sentence = (
        f"The rest of this page is about {data.kind}; the errors of forecasts of another length are of "
        "another kind and over other rows, so these are ranked by themselves: "
        f"{words.listing([one.kind for one in others])}."
    )
    parts, inline = [], []
    for one in others:
        text, pictures = _task(one)
        parts.append(text)
        inline += pictures
    return Section("tasks", "Other forecasts", sentence, "\n\n".join(parts), inline=tuple(inline))


def _task(data: ReportData) -> tuple[str, list[Figure]]:
    """Return one task's part of the section, and its pictures."""
    anchor = f"task{data.suffix}"
    parts = [f"### {data.say(data.comparison.task.title)} {{#{anchor}}}"]
    if data.best is None:
        return "\n\n".join([*parts, leaky.nothing_ranked(data), leaky.table_of(data)]), []
    strips = board.strips(data)
    pictures = list(strips.values())
    parts += [bold(first.which(data, data.best)), caution.box(data)]
    parts += [board.leaderboard(data, strips), leaky.table_of(data)]
    for section in (ablations.build(data), comparison.build(data), steps.build(data)):
        if section is not None:
            pictures += [*section.figures, *section.inline]
            parts.append(f"**{section.title}.** {section.sentence}")
            parts += [*(figure.to_markdown() for figure in section.figures), section.body]
    return "\n\n".join(part for part in parts if part), pictures
