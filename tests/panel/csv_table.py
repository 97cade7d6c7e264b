"""A small CSV file of two shops, and the panel that is made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from panelbench.panel import Panel, load_panel
from panelbench.panel.fetch import fetch
from panelbench.panel.prepare import prepare

COLUMNS = {
    "time": "week",
    "id": ["shop", "line"],
    "target": "sold",
    "future": ["promo"],
    "static": ["region"],
}


def table(shops: tuple[str, ...] = ("north", "south"), weeks: int = 6) -> pd.DataFrame:
    """Return a right table: two lines a shop, a row a week."""
    dates = pd.date_range("2024-01-01", periods=weeks, freq="W-MON")
    rows = [
        {"shop": shop, "line": line, "week": f"{day:%Y-%m-%d}", "sold": 10 * number + len(shop)}
        | {"promo": number % 2, "region": f"r{len(shop)}", "ignored": "x"}
        for shop in shops
        for line in ("a", "b")
        for number, day in enumerate(dates)
    ]
    return pd.DataFrame(rows)


def run(content: str | bytes | pd.DataFrame, tmp_path: Path, **keys: Any) -> Panel:
    """Write the file, fetch and prepare it; return the panel that is read back."""
    path = tmp_path / "mine.csv"
    if isinstance(content, pd.DataFrame):
        content = content.to_csv(index=False)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    settings = {"source": "csv", "path": str(path), **COLUMNS, **keys}
    fetch(settings, tmp_path / "raw")
    prepare(settings, tmp_path / "raw", tmp_path / "p.parquet", tmp_path / "p.json")
    return load_panel(tmp_path / "p.parquet", tmp_path / "p.json")


def cell(row: int, column: str, value: object) -> pd.DataFrame:
    """Return the right table with one value changed."""
    changed = table().astype(object)
    changed.loc[row, column] = value
    return changed
