"""Read the report's material, and see that it belongs to what params.yaml declares."""

from __future__ import annotations

from pathlib import Path

from panelbench.compare.runs import load_results
from panelbench.compare.schema import FILE, load_comparison
from panelbench.config import Settings
from panelbench.errors import InputError
from panelbench.files import read_json
from panelbench.report.data import ReportData
from panelbench.report.stored import read_panel


def load_report_data(settings: Settings, root: Path) -> ReportData:
    """Read what the stages before the report wrote.

    Raises
    ------
    InputError
        If a file is missing, is malformed, or belongs to other experiments than params.yaml declares.
    """
    path = root / "reports" / FILE
    comparison = load_comparison(path)
    if set(comparison.experiments) != set(settings.experiments):
        raise InputError(
            f"{path} compares {', '.join(sorted(comparison.experiments))}, but params.yaml declares "
            f"{', '.join(sorted(settings.experiments))}. Run `dvc repro`."
        )
    audit = root / "reports" / "audit.json"
    panel, events = read_panel(root)
    return ReportData(
        root=root,
        settings=settings,
        results=load_results(settings, root, panel),
        events=events,
        comparison=comparison,
        audit=read_json(audit) if audit.is_file() else None,
    )
