"""M5: weekly unit sales of ten Walmart stores by category, the lecture's panel.

`panel.path` may name the prepared weekly CSV, or a folder or zip with the three raw files; without it the
public archive is downloaded. Whatever it comes from, a panel that covers the whole M5 must have its known
totals.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd

from panelbench.config.strict import nearest
from panelbench.config.words import short
from panelbench.errors import InputError, RunFailure
from panelbench.panel import m5_files, m5_raw, raw
from panelbench.panel.draft import Draft
from panelbench.panel.panel import RawFile
from panelbench.panel.settings import M5Settings

WEEKLY_NAME = "m5_weekly.csv"
FUTURE = ("avg_price", "snap_days", "event_days")
"""Known ahead, in the order of the course's feature tables; its networks see the price last (`channels`)."""
STATIC = ("store_id", "cat_id", "state_id")
COLUMNS = (*STATIC, "week_start", "units", *FUTURE)

WHOLE_SERIES, WHOLE_WEEKS = 30, 277
WHOLE_START, WHOLE_END = pd.Timestamp("2011-01-31"), pd.Timestamp("2016-05-16")
TEST_WEEKS, SEASON = 53, 52
NAIVE_RMSE, NAIVE_TOLERANCE = 2152.118, 0.001
"""Seasonal naive on the last 53 weeks of the whole M5, in units."""
UNITS, SNAP_DAYS, EVENT_DAYS = 66_862_793, 19_200, 4_740
COUNTS_SHA256 = "6cc5ad7dd8f1902d87ea228a0493de584c1991e9444404d3cfe42b68092ff60d"
"""Of every week's units, snap_days and event_days of the whole M5. Mirrors pack the raw files differently, so
what is pinned is the content: it is the same whatever the files came in."""


def fetch(settings: M5Settings, folder: Path) -> list[RawFile]:
    """Copy what `settings.path` names into `folder`, or download the public archive.

    Raises
    ------
    InputError
        If the path is not one of the three things it may be.
    RunFailure
        If no mirror gives the archive.
    """
    if settings.path is None:
        return m5_files.download(settings, folder)
    path = raw.user_path(settings.path, folder)
    if path.is_dir() or path.suffix.lower() == ".zip":
        return m5_files.copy(path, folder, settings.sha256)
    return [RawFile(name=WEEKLY_NAME, sha256=raw.copy(path, folder / WEEKLY_NAME))]


def build(settings: M5Settings, folder: Path) -> Draft:
    """Make the weekly panel: units per store, category and Monday week, only full weeks.

    `snap_days` counts the days on which the store's state pays out food benefits, `event_days` the days with
    a named event, `avg_price` is the unweighted mean over the category's items (USD).

    Raises
    ------
    InputError
        If a raw file is not what M5 is made of.
    RunFailure
        If the whole has other totals than are known, or what was downloaded is not the whole.
    """
    if (folder / WEEKLY_NAME).exists():
        weekly = _prepared(folder / WEEKLY_NAME, settings.path or WEEKLY_NAME)
        notes = ["Read from a prepared weekly file."]
    else:
        with m5_files.opened(folder) as files:
            weekly, notes = m5_raw.weekly(files), ["Added up from the daily sales of single items."]
    frame = weekly.rename(columns={"week_start": "ds", "units": "y"})
    frame["unique_id"] = frame["store_id"].astype(str) + "_" + frame["cat_id"].astype(str)
    if _is_whole(frame):
        verify(frame)
        notes.append(f"The known totals of the whole M5 hold (seasonal naive {NAIVE_RMSE:,.3f} units RMSE).")
    elif settings.path is None:
        raise RunFailure(
            f"The downloaded archive does not hold the whole M5 ({frame['unique_id'].nunique()} series, "
            f"{len(frame):,} "
            f"rows; {WHOLE_SERIES} series, {WHOLE_SERIES * WHOLE_WEEKS:,} rows expected). Delete data/raw "
            "and run "
            "`dvc repro`, or name a local copy as panel.path."
        )
    else:
        notes.append("Not the whole M5: its known totals were not checked.")
    return Draft(
        frame=frame,
        title="M5: Walmart stores by category",
        target_name="weekly sales",
        unit="units",
        frequency="W-MON",
        future=FUTURE,
        static=STATIC,
        event_column="event_days",
        row_name="series-week",
        origin=settings.path or "",
        notes=("Weeks start on Monday; only weeks with all seven days are kept.", *notes),
    )


def verify(frame: pd.DataFrame) -> None:
    """Hold the whole M5 panel against totals that are known.

    Raises
    ------
    RunFailure
        If a total differs: the raw files are not the published ones, or were added up wrongly.
    """
    y = frame.sort_values(["unique_id", "ds"])["y"].to_numpy(np.float64).reshape(WHOLE_SERIES, WHOLE_WEEKS)
    errors = y[:, -TEST_WEEKS:] - y[:, -TEST_WEEKS - SEASON : -SEASON]
    found = {
        "seasonal-naive RMSE of the last 53 weeks": (
            float(np.sqrt(np.mean(errors**2))),
            NAIVE_RMSE,
            NAIVE_TOLERANCE,
        ),
        "sum of units": (float(y.sum()), UNITS, 0.5),
        "sum of snap_days": (float(frame["snap_days"].sum()), SNAP_DAYS, 0.5),
        "sum of event_days": (float(frame["event_days"].sum()), EVENT_DAYS, 0.5),
    }
    for name, (value, expected, tolerance) in found.items():
        if not abs(value - expected) <= tolerance:
            raise RunFailure(
                f"The M5 panel has the series and weeks of the whole data set, but its {name} is "
                f"{value:,.3f}, not "
                f"{expected:,.3f}: the files are not the published ones. Delete data/raw, check panel.path "
                "and run again."
            )
    counts = hash_counts(frame)
    if counts != COUNTS_SHA256:
        raise RunFailure(
            f"The M5 panel has the known totals, but its weekly counts have SHA-256 {counts}, not "
            f"{COUNTS_SHA256}: single weeks were changed. Delete data/raw, check panel.path and run again."
        )


def hash_counts(frame: pd.DataFrame) -> str:
    """Return one SHA-256 over the names, weeks and whole-number columns, in the order of names and weeks."""
    ordered = frame.sort_values(["unique_id", "ds"], kind="stable")
    digest = hashlib.sha256("\n".join(ordered["unique_id"].astype(str)).encode())
    digest.update(ordered["ds"].to_numpy("datetime64[D]").astype("<i8").tobytes())
    for column in ("y", "snap_days", "event_days"):
        digest.update(np.rint(ordered[column].to_numpy(np.float64)).astype("<i8").tobytes())
    return digest.hexdigest()


def _is_whole(frame: pd.DataFrame) -> bool:
    shape = (frame["unique_id"].nunique(), len(frame), frame["ds"].min(), frame["ds"].max())
    return shape == (WHOLE_SERIES, WHOLE_SERIES * WHOLE_WEEKS, WHOLE_START, WHOLE_END)


def _prepared(path: Path, shown: str) -> pd.DataFrame:
    """Read the prepared weekly CSV, which messages call `shown`; extra columns such as lags are ignored."""
    try:
        header = pd.read_csv(path, nrows=0).columns
        missing = [name for name in COLUMNS if name not in header]
        if missing:
            raise InputError(
                f"The prepared M5 file {shown} lacks the column '{missing[0]}' ({len(missing)} of "
                f"{len(COLUMNS)} are missing)."
                f"{nearest(missing[0], header)} It needs {', '.join(COLUMNS)}. Other files go in with "
                "panel.source: csv."
            )
        numbers = dict.fromkeys(("units", *FUTURE), np.float64)
        table = pd.read_csv(
            path, usecols=list(COLUMNS), dtype=numbers, parse_dates=["week_start"], date_format="%Y-%m-%d"
        )[list(COLUMNS)]
    except (ValueError, OSError) as error:
        raise InputError(
            f"The prepared M5 file {shown} cannot be read as CSV: {short(error)}. It needs "
            f"{', '.join(COLUMNS)}, as numbers from units on. Other files go in with panel.source: csv."
        ) from error
    if table.empty:
        raise InputError(
            f"The prepared M5 file {shown} has a header but no row. Check panel.path, or take it out to "
            "download the panel."
        )
    if not pd.api.types.is_datetime64_any_dtype(table["week_start"]):
        raise InputError(
            f"The prepared M5 file {shown} has a week_start that is not a date such as 2011-01-31. Correct "
            "it; other files go in with panel.source: csv."
        )
    return table
