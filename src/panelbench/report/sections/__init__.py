"""The report's sections, one module each; `SECTIONS` is their order on the page.

A new section is a module with `build(data) -> Section | None`, a line here, and a cell in benchmark.qmd.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from panelbench.report.data import ReportData
from panelbench.report.section import Section
from panelbench.report.sections import (
    ablations,
    attention,
    audit,
    claims,
    comparison,
    first,
    forecasts,
    learning,
    panel,
    provenance,
    robustness,
    size,
    spread,
    steps,
    tasks,
    where,
)

Builder = Callable[[ReportData], Section | None]

SECTIONS: Mapping[str, Builder] = {
    "answer": first.build,
    "panel": panel.build,
    "spread": spread.build,
    "size": size.build,
    "ablations": ablations.build,
    "comparison": comparison.build,
    "steps": steps.build,
    "where": where.build,
    "forecasts": forecasts.build,
    "learning": learning.build,
    "attention": attention.build,
    "audit": audit.build,
    "claims": claims.build,
    "robustness": robustness.build,
    "tasks": tasks.build,
    "provenance": provenance.build,
}
