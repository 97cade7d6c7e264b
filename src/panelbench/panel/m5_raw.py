"""From the three raw M5 files to weekly units, in pieces, so that memory stays far below the files' size.

Sales are wide (30,490 items x 1,941 days) and are read a thousand items at a time; prices (6.8 million
rows) in chunks of rows. Only sums by store and category are kept.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from panelbench.config.strict import nearest
from panelbench.config.words import short
from panelbench.errors import InputError
from panelbench.panel.m5_archive import BROKEN
from panelbench.panel.m5_files import Opener
from panelbench.panel.weekly import DAYS, full_weeks

CALENDAR, PRICES, SALES = "calendar.csv", "sell_prices.csv", "sales_train_evaluation.csv"
SALES_ROWS, PRICE_ROWS = 1_000, 500_000
UNREADABLE = (ValueError, OSError, EOFError, *BROKEN)
"""What pandas and zipfile raise for text where numbers belong, an empty file, damaged content."""
PUBLISHED = "Use the file as published; a panel of your own goes in with panel.source: csv."
Key = tuple[str, str]


def weekly(files: Opener) -> pd.DataFrame:
    """Add item sales up to store x category x Monday week.

    The price of a category in a price week (Saturday to Friday) is the unweighted mean over its items on
    sale, each day carries its price week's value, and a Monday week the mean of its seven days (in float32,
    as in the course's own preparation, whose digits the lecture's numbers rest on).

    Parameters
    ----------
    files
        Opens calendar.csv, sell_prices.csv and sales_train_evaluation.csv by name.

    Returns
    -------
    DataFrame
        store_id, cat_id, state_id, week_start, units, snap_days, event_days, avg_price; full weeks only.

    Raises
    ------
    InputError
        If a file lacks a column, holds text where numbers belong, or does not fit the others.
    """
    units, numbers = _daily_units(files)
    calendar = _calendar(files, numbers)
    keys = sorted(units)
    starts, days = full_weeks(calendar["date"].to_numpy("datetime64[D]"))
    if len(starts) == 0:
        raise InputError(f"The M5 files cover {len(numbers)} days, which hold no full Monday week.")
    price = _daily_prices(files, keys, calendar["wm_yr_wk"].to_numpy())
    snap = np.stack([_snap(calendar, store) for store, _ in keys])
    event = np.broadcast_to(calendar["event_name_1"].notna().to_numpy(np.int64), snap.shape)

    def weeks(daily: NDArray[Any]) -> NDArray[Any]:
        return daily[:, days].reshape(len(keys), len(starts), DAYS)

    return pd.DataFrame(
        {
            "store_id": np.repeat([store for store, _ in keys], len(starts)),
            "cat_id": np.repeat([category for _, category in keys], len(starts)),
            "state_id": np.repeat([store.split("_")[0] for store, _ in keys], len(starts)),
            "week_start": np.tile(starts.astype("datetime64[ns]"), len(keys)),
            "units": weeks(np.stack([units[key] for key in keys])).sum(axis=2).ravel().astype(np.float64),
            "snap_days": weeks(snap).sum(axis=2).ravel().astype(np.float64),
            "event_days": weeks(event).sum(axis=2).ravel().astype(np.float64),
            "avg_price": _mean_of_days(weeks(price)).ravel().astype(np.float64),
        }
    )


def _daily_units(files: Opener) -> tuple[dict[Key, NDArray[np.int64]], list[int]]:
    """Return units a day (D,) by store and category, and the numbers of the D days."""
    header = _header(files, SALES)
    _require(SALES, header, ("store_id", "cat_id"))
    columns = sorted(
        (name for name in header if re.fullmatch(r"d_\d+", name)), key=lambda name: int(name[2:])
    )
    numbers = [int(name[2:]) for name in columns]
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise InputError(
            f"{SALES}: the day columns must be d_1, d_2, ... without a gap; {len(numbers)} were found."
        )
    totals: dict[Key, NDArray[np.int64]] = {}
    kinds: dict[str, Any] = {"store_id": str, "cat_id": str, **dict.fromkeys(columns, np.int32)}
    try:
        with files(SALES) as stream:
            for chunk in pd.read_csv(stream, usecols=list(kinds), dtype=kinds, chunksize=SALES_ROWS):
                if chunk[["store_id", "cat_id"]].isna().any(axis=None):
                    raise InputError(f"{SALES}: store_id or cat_id is empty in a row; each item has both.")
                values = chunk[columns].to_numpy()
                names = np.array(list(zip(chunk["store_id"], chunk["cat_id"], strict=True)), dtype=str)
                for key in np.unique(names, axis=0):
                    added = values[(names == key).all(axis=1)].sum(axis=0, dtype=np.int64)
                    name = (str(key[0]), str(key[1]))
                    totals[name] = totals[name] + added if name in totals else added
    except UNREADABLE as error:
        raise InputError(
            f"{SALES} cannot be read: {short(error)}. Every d_ column must hold whole numbers. {PUBLISHED}"
        ) from error
    if not totals:
        raise InputError(f"{SALES} has a header but no row. {PUBLISHED}")
    return totals, numbers


def _calendar(files: Opener, numbers: list[int]) -> pd.DataFrame:
    """Return the calendar's rows of the given day numbers, in order.

    Some copies of the file lack the column `d`; its rows are consecutive days from d_1 on, so the order of
    dates gives the number.
    """
    _require(CALENDAR, _header(files, CALENDAR), ("date", "wm_yr_wk", "event_name_1"))
    with files(CALENDAR) as stream:
        try:
            table = pd.read_csv(stream, parse_dates=["date"], date_format="%Y-%m-%d")
        except UNREADABLE as error:
            raise InputError(f"{CALENDAR} cannot be read: {short(error)}. {PUBLISHED}") from error
    if not pd.api.types.is_datetime64_any_dtype(table["date"]):
        raise InputError(f"{CALENDAR}: the column 'date' must hold dates such as 2011-01-29.")
    table = table.sort_values("date", ignore_index=True)
    steps = table["date"].diff().dropna()
    if (steps != pd.Timedelta(days=1)).any():
        after = table["date"][int(np.flatnonzero(steps != pd.Timedelta(days=1))[0])]
        raise InputError(
            f"{CALENDAR}: the day after {after:%Y-%m-%d} is missing or there twice; each day needs one row."
        )
    order = [f"d_{number}" for number in range(1, len(table) + 1)]
    if "d" in table.columns and list(table["d"].astype(str)) != order:
        raise InputError(
            f"{CALENDAR}: the column 'd' does not count the days from d_1 in the order of the dates."
        )
    if numbers[-1] > len(table):
        raise InputError(f"{SALES} goes to d_{numbers[-1]}, but {CALENDAR} has only {len(table)} days.")
    return table.iloc[numbers[0] - 1 : numbers[-1]].reset_index(drop=True)


def _daily_prices(files: Opener, keys: list[Key], weeks: NDArray[Any]) -> NDArray[np.float32]:
    """Return the mean price (S, D) by series and day; NaN where a category has no price in a price week."""
    needed = ("store_id", "item_id", "wm_yr_wk", "sell_price")
    _require(PRICES, _header(files, PRICES), needed)
    kinds: dict[str, Any] = {
        "store_id": "category",
        "item_id": "category",
        "wm_yr_wk": np.int64,
        "sell_price": np.float32,
    }
    parts = []
    try:
        with files(PRICES) as stream:
            for chunk in pd.read_csv(stream, usecols=list(needed), dtype=kinds, chunksize=PRICE_ROWS):
                # The category is the first part of an item's name, as in FOODS_3_090.
                category = {item: item.split("_")[0] for item in chunk["item_id"].cat.categories}
                chunk["cat_id"] = chunk["item_id"].map(category).astype(str)
                chunk["sell_price"] = chunk["sell_price"].astype(np.float64)
                grouped = chunk.groupby([chunk["store_id"].astype(str), "cat_id", "wm_yr_wk"])["sell_price"]
                parts.append(grouped.agg(["sum", "count"]))
    except UNREADABLE as error:
        raise InputError(f"{PRICES} cannot be read: {short(error)}. {PUBLISHED}") from error
    total = pd.concat(parts).groupby(level=[0, 1, 2]).sum()
    if total.empty:
        raise InputError(f"{PRICES} has a header but no row. {PUBLISHED}")
    mean = (total["sum"] / total["count"]).to_numpy(np.float32)
    known = dict(zip(total.index, mean, strict=True))
    return np.array(
        [[known.get((*key, week), np.nan) for week in weeks.tolist()] for key in keys], np.float32
    )


def _mean_of_days(price: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean over the last axis of the days that have a price; NaN where none has."""
    known = ~np.isnan(price)
    count = known.sum(axis=-1)
    total = np.where(known, price, 0).sum(axis=-1, dtype=np.float64)
    mean: NDArray[np.float64] = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean.astype(np.float32)


def _snap(calendar: pd.DataFrame, store: str) -> NDArray[np.int64]:
    name = f"snap_{store.split('_', maxsplit=1)[0]}"
    _require(CALENDAR, list(calendar.columns), (name,))
    if not calendar[name].isin([0, 1]).all():
        first = calendar.loc[~calendar[name].isin([0, 1])].iloc[0]
        raise InputError(
            f"{CALENDAR}: the column '{name}' is '{first[name]}' on {first['date']:%Y-%m-%d}; it must be "
            "0 or 1 on every day."
        )
    return calendar[name].to_numpy(np.int64)


def _header(files: Opener, name: str) -> list[str]:
    """Return the column names of one of the files."""
    try:
        with files(name) as stream:
            return list(pd.read_csv(stream, nrows=0).columns)
    except UNREADABLE as error:
        raise InputError(f"{name} cannot be read: {short(error)}. {PUBLISHED}") from error


def _require(file: str, header: list[str], needed: tuple[str, ...]) -> None:
    missing = [name for name in needed if name not in header]
    if missing:
        raise InputError(
            f"{file} lacks the column '{missing[0]}' ({len(missing)} of {len(needed)} needed ones are "
            "missing)."
            f"{nearest(missing[0], header)} This does not look like the file of the M5 data set. {PUBLISHED}"
        )
