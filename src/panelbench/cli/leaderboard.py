"""Print the leaderboard in the terminal."""

from __future__ import annotations

import csv
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from panelbench.cli.check import REPORT
from panelbench.errors import InputError

NUMBERS = {
    "RMSE": "rmse_mean",
    "sd": "rmse_sd",
    "MAE": "mae_mean",
    "WAPE": "wape_mean",
    "RMSSE": "rmsse_mean",
}
"""Column title: column of the file."""

HUGE = 1e9
"""From here on a figure is written as 8.2e+16: a diverged run must not push the names off the table."""


def show(root: Path, console: Console | None = None) -> None:
    """Print reports/leaderboard.csv, best first, and the report's path.

    Raises
    ------
    InputError
        If nothing was compared yet.
    """
    path = root / "reports" / "leaderboard.csv"
    if not path.exists():
        raise InputError(f"{path} is not there: nothing was compared yet. `dvc repro` makes it.")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("model", overflow="fold", min_width=16)
    for title in (*NUMBERS, "runs", "parameters"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        numbers = [_number(row[column], column) for column in NUMBERS.values()]
        parameters = _number(row["n_parameters"], "n_parameters")
        table.add_row(row["label"] or row["experiment"], *numbers, _runs(row), parameters)
    out = console or Console(highlight=False)
    out.print(table)
    out.print(f"Report: {REPORT}", soft_wrap=True)


def _number(text: str, column: str) -> str:
    """Return a figure to the digits a reader can use, and a dash where there is none."""
    if not text:
        return "-"
    value = float(text)
    if abs(value) >= HUGE:
        return f"{value:.1e}"
    if column in {"wape_mean", "rmsse_mean"}:
        return f"{value:.3f}"
    return f"{value:,.0f}" if abs(value) >= 1000 or column == "n_parameters" else f"{value:,.4g}"


def _runs(row: dict[str, str]) -> str:
    """Return how many runs stand behind a row: one where nothing is random, "fixed" as in the report."""
    failed = int(row["n_failed"] or 0)
    text = f"{row['n_ok']}" + (f" ({failed} failed)" if failed else "")
    return f"{text} fixed" if row["deterministic"].lower() == "true" and not failed else text
