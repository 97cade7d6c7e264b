"""Measure the memory and time of adding up raw M5 files of full size.

    python benchmarks/m5_memory.py

writes a made-up archive with the layout and size of the real one (30,490 items, 1,941 days, 6.8 million
prices) into a temporary folder, builds the weekly panel from it in a fresh process and prints the peak.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

STORES = ("CA_1", "CA_2", "CA_3", "CA_4", "TX_1", "TX_2", "TX_3", "WI_1", "WI_2", "WI_3")
ITEMS = {"FOODS": 1437, "HOBBIES": 565, "HOUSEHOLD": 1047}
DAYS, CALENDAR_DAYS = 1941, 1969
PRICE_ROWS = 6_841_121

CHILD = """
import resource, sys, time
from pathlib import Path
from panelbench.panel import m5_files, m5_raw
began = time.perf_counter()
with m5_files.opened(Path(sys.argv[1])) as files:
    frame = m5_raw.weekly(files)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{len(frame):,} rows, peak memory {peak:,.0f} MiB, {time.perf_counter() - began:.0f} s")
"""


def items() -> list[str]:
    """Return the names of all items, with the category as the first part."""
    return [f"{category}_1_{number:04d}" for category, count in ITEMS.items() for number in range(count)]


def write_archive(path: Path) -> None:
    """Write the zip with the three files."""
    rng = np.random.default_rng(0)
    dates = pd.date_range("2011-01-29", periods=CALENDAR_DAYS)
    weeks = 11101 + np.arange(CALENDAR_DAYS) // 7
    flags = {f"snap_{state}": rng.integers(0, 2, CALENDAR_DAYS) for state in ("CA", "TX", "WI")}
    calendar = pd.DataFrame({"date": dates, "wm_yr_wk": weeks, "event_name_1": None} | flags)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("calendar.csv", calendar.to_csv(index=False))
        with archive.open("sales_train_evaluation.csv", "w") as file:
            days = ",".join(f"d_{day}" for day in range(1, DAYS + 1))
            file.write(f"id,item_id,dept_id,cat_id,store_id,state_id,{days}\n".encode())
            for store in STORES:
                for item in items():
                    names = (
                        f"{item}_{store}_evaluation",
                        item,
                        item[:-5],
                        item.split("_")[0],
                        store,
                        store[:2],
                    )
                    units = ",".join(map(str, rng.poisson(1.2, DAYS).tolist()))
                    file.write(f"{','.join(names)},{units}\n".encode())
        with archive.open("sell_prices.csv", "w", force_zip64=True) as file:
            file.write(b"store_id,item_id,wm_yr_wk,sell_price\n")
            each = np.unique(weeks)
            written = 0
            for store in STORES:
                for item in items():
                    late = min(int(rng.integers(0, 115)), len(each) - 1) if not item.endswith("0000") else 0
                    text = "".join(f"{store},{item},{week},{week % 97 / 10 + 1}\n" for week in each[late:])
                    file.write(text.encode())
                    written += len(each) - late
    print(f"{path.stat().st_size / 1e6:,.0f} MB zip, {written:,} prices (the real file has {PRICE_ROWS:,})")


def main() -> None:
    """Make the archive and measure in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        write_archive(Path(folder) / "m5.zip")
        subprocess.run([sys.executable, "-c", CHILD, folder], check=True)


if __name__ == "__main__":
    main()
