"""Where the parameters are: a count block by block for every architecture, which sums to the model's own."""

from __future__ import annotations

from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import details, table

NAMED = 3
"""Experiments named where several have the same blocks."""


def accounts(data: ReportData) -> str:
    """Return the folded table; empty where no run recorded its blocks."""
    found = architectures(data)
    if not found:
        return ""
    rows = []
    for names, parts in found:
        total = sum(parts.values())
        listed = words.listing([data.md(name) for name in names], limit=NAMED)
        rows.append([f"**{listed}**", f"**{words.number(total, 0)}**", _against(data, names[0], total)])
        rows += [
            [
                words.escape(words.capital(part)),
                words.number(count, 0),
                words.percent(count / total) if total else words.MISSING,
            ]
            for part, count in parts.items()
        ]
    note = (
        "In bold, the sum of the blocks below. Counted from the trained networks, not from formulas: every "
        "trained number is in one block. Experiments with the same blocks stand together."
    )
    header = ["Model and its blocks", "Parameters", "Share"]
    return details(
        "Parameters, block by block", table(header, rows, "lrr", kind="scroll .blocks") + f"\n{note}"
    )


def architectures(data: ReportData) -> list[tuple[list[str], dict[str, int]]]:
    """Return the different divisions into blocks, each with the experiments that have it."""
    found: list[tuple[list[str], dict[str, int]]] = []
    for name in data.declared:
        parts = next((one.parameters_by_part for one in data.records(name) if one.parameters_by_part), None)
        if parts is None:
            continue
        same = next((names for names, other in found if list(other.items()) == list(parts.items())), None)
        if same is None:
            found.append(([name], parts))
        else:
            same.append(name)
    return found


def _against(data: ReportData, name: str, total: int) -> str:
    """Say so where the blocks do not add up to the count that the model itself gives."""
    count = data.declared[name].n_parameters
    return "" if count == total else f"[not the model's {words.number(count, 0)}]{{.fail}}"
