"""Print the leaderboard in the terminal, one table a task."""

from __future__ import annotations

import csv
from pathlib import Path

from rich import box
from rich.console import Console
from rich.markup import escape
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

NEEDED = (
    *("experiment", "label", "deterministic", "n_ok", "n_failed", "n_parameters"),
    *("horizon", "mode", "leaks"),
    *NUMBERS.values(),
)

WIDEST = 9
"""Characters a figure may take, 9,999,999 being one: a diverged run must not push the names off the table."""


def show(root: Path, console: Console | None = None) -> None:
    """Print reports/leaderboard.csv and those of the other tasks, best first, and the report's path.

    Raises
    ------
    InputError
        If nothing was compared yet, or a file is not one that `compare` wrote.
    """
    path = root / "reports" / "leaderboard.csv"
    if not path.exists():
        raise InputError(f"{path} is not there: nothing was compared yet. `dvc repro` makes it.")
    others = sorted((root / "reports" / "tasks").glob("*/leaderboard.csv"))
    boards = [_read(one) for one in (path, *others)]
    out = console or Console(highlight=False)
    for rows in boards:
        if len(boards) > 1 and rows:
            out.print(_title(rows), style="bold", soft_wrap=True)
        out.print(_table(rows))
        if any(row["leaks"].lower() == "true" for row in rows):
            out.print("leaks: trained on targets that it is scored on; not ranked.", soft_wrap=True)
    if len(boards) > 1:
        out.print("Errors of different horizons are different quantities: compare within a table.")
    out.print(f"Report: {REPORT}", soft_wrap=True)


def _read(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
            columns = reader.fieldnames or ()
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path} cannot be read ({error}). Run `dvc repro -f compare`.") from error
    missing = [name for name in NEEDED if name not in columns]
    if missing or any(None in row.values() for row in rows):
        what = f"lacks the columns {', '.join(missing)}" if missing else "has rows that are cut short"
        raise InputError(f"{path} {what}, so this version did not write it. Run `dvc repro -f compare`.")
    return rows


def _title(rows: list[dict[str, str]]) -> str:
    """Return what the rows have in common, such as "Direct multi-step forecasts, 24 periods ahead"."""
    if rows[0]["horizon"] == "1":
        return "Rolling one-step forecasts"
    modes = " and ".join(sorted({row["mode"] for row in rows})).capitalize()
    return f"{modes} multi-step forecasts, {rows[0]['horizon']} periods ahead"


def _table(rows: list[dict[str, str]]) -> Table:
    """Return the rows as a table; a column for the mode takes the place of WAPE, to fit 80 characters."""
    modes = len({row["mode"] for row in rows}) > 1
    figures = {title: column for title, column in NUMBERS.items() if not (modes and title == "WAPE")}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("model", overflow="fold", min_width=16)
    if modes:
        table.add_column("mode", no_wrap=True)
    for title in (*figures, "runs", "parameters"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        numbers = [_number(row[column], column) for column in figures.values()]
        parameters = _number(row["n_parameters"], "n_parameters")
        label = escape(row["label"] or row["experiment"])
        if row["leaks"].lower() == "true":
            label += " (leaks)" if "leak" not in label.lower() else ""
        table.add_row(label, *([row["mode"]] if modes else []), *numbers, _runs(row), parameters)
    return table


def _number(text: str, column: str) -> str:
    """Return a figure to the digits a reader can use, and a dash where there is none."""
    if not text:
        return "-"
    try:
        value = float(text)
    except ValueError:
        return "?"
    if column in {"wape_mean", "rmsse_mean"}:
        shown = f"{value:.3f}"
    else:
        shown = f"{value:,.0f}" if abs(value) >= 1000 or column == "n_parameters" else f"{value:,.4g}"
    return shown if len(shown) <= WIDEST or column == "n_parameters" else f"{value:.1e}"


def _runs(row: dict[str, str]) -> str:
    """Return how many runs stand behind a row: one where nothing is random, "fixed" as in the report."""
    failed = int(row["n_failed"] or 0)
    text = f"{row['n_ok']}" + (f" ({failed} failed)" if failed else "")
    return f"{text} fixed" if row["deterministic"].lower() == "true" and not failed else text
