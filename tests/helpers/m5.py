"""A tiny archive with the layout of M5, and the panel that is made of it."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from panelbench.panel import m5
from panelbench.panel.contract import check
from panelbench.panel.fetch import fetch
from panelbench.panel.registry import resolve


@dataclass(frozen=True)
class RawM5:
    """The three frames of a tiny M5."""

    calendar: pd.DataFrame
    prices: pd.DataFrame
    sales: pd.DataFrame

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        self.calendar.to_csv(folder / "calendar.csv", index=False)
        self.prices.to_csv(folder / "sell_prices.csv", index=False)
        self.sales.to_csv(folder / "sales_train_evaluation.csv", index=False)
        return folder


def make_raw_m5(days: int = 40, extra_days: int = 10, seed: int = 3) -> RawM5:
    """Two stores in two states, two categories, three items each; 2011-01-29 is a Saturday, as in M5."""
    rng = np.random.default_rng(seed)
    dates = pd.date_range("2011-01-29", periods=days + extra_days)
    week = np.arange(len(dates)) // 7
    calendar = pd.DataFrame(
        {
            "date": dates.strftime("%Y-%m-%d"),
            "wm_yr_wk": 11101 + week,
            "d": [f"d_{number}" for number in range(1, len(dates) + 1)],
            "event_name_1": np.where(rng.random(len(dates)) < 0.2, "Feast", None),
            "snap_CA": rng.integers(0, 2, len(dates)),
            "snap_TX": rng.integers(0, 2, len(dates)),
        }
    )
    items = [f"{category}_1_{number:03d}" for category in ("FOODS", "HOBBIES") for number in range(1, 4)]
    rows, prices = [], []
    for store in ("TX_1", "CA_1"):
        for item in items:
            names = {
                "id": f"{item}_{store}",
                "item_id": item,
                "cat_id": item.split("_")[0],
                "store_id": store,
            }
            units = {f"d_{day}": count for day, count in enumerate(rng.integers(0, 50, days), start=1)}
            rows.append(names | units)
            # An item comes on sale later than others, so the mean price moves with the assortment.
            prices += [
                {
                    "store_id": store,
                    "item_id": item,
                    "wm_yr_wk": 11101 + number,
                    "sell_price": round(rng.uniform(1, 9), 2),
                }
                for number in range(
                    int(rng.integers(0, 3)) if not item.endswith("001") else 0, int(week[-1]) + 1
                )
            ]
    return RawM5(calendar, pd.DataFrame(prices), pd.DataFrame(rows))


def zipped(folder: Path, path: Path, prefix: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.glob("*.csv")):
            archive.write(file, prefix + file.name)
    return path


def built(path: Path, tmp_path: Path) -> pd.DataFrame:
    settings = {"source": "m5", "path": str(path)}
    fetch(settings, tmp_path / "raw")
    return check(m5.build(resolve(settings), tmp_path / "raw"))[0]
