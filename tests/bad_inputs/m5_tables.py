"""The raw and the prepared files of M5 with something wrong in their tables."""

from __future__ import annotations

from pathlib import Path

from tests.bad_inputs.archives import DAYS, RAW, SALES
from tests.bad_inputs.case import Case

HEADER = "store_id,cat_id,state_id,week_start,units,avg_price,snap_days,event_days"


def raw(name: str, file: str, content: str | bytes, place: str, value: str, remedy: str) -> Case:
    """A folder with the three raw files, one of them changed."""
    files = {f"data/user/m5/{one}": text for one, text in {**RAW, file: content}.items()}
    panel = {"panel": {"source": "m5", "path": "data/user/m5"}}
    return Case(f"m5: {name}", file.replace(".", r"\."), place, value, remedy, panel, files)


def weekly(name: str, content: str | bytes, place: str, value: str, remedy: str) -> Case:
    """The prepared weekly file."""
    path = "data/user/m5_weekly.csv"
    panel = {"panel": {"source": "m5", "path": path}}
    return Case(
        f"m5: {name}", r"m5_weekly\.csv|prepared M5 file", place, value, remedy, panel, {path: content}
    )


def _folder_without(path: Path) -> None:
    path.mkdir()


RAWS = [
    raw("an empty calendar", "calendar.csv", "", "cannot be read", "No columns", "Take|take|Fetch|published"),
    raw("another calendar", "calendar.csv", "a,b\n1,2\n", "'date'", "1 of|3 of", "does not look like"),
    raw(
        "a calendar without dates",
        "calendar.csv",
        "date,wm_yr_wk,event_name_1,snap_CA\nsoon,1,,0\n",
        "'date'",
        "",
        "such as 2011-01-29",
    ),
    raw(
        "a day missing",
        "calendar.csv",
        RAW["calendar.csv"].replace("2011-01-30,11101,d_2,,0\n", ""),
        "2011-01-29",
        "missing",
        "each day needs one row",
    ),
    raw(
        "sales of text",
        SALES,
        RAW[SALES].replace("1,1,1\n", "1,1,many\n"),
        "cannot be read",
        "many",
        "whole numbers",
    ),
    raw(
        "sales without days",
        SALES,
        "store_id,cat_id\nCA_1,FOODS\n",
        "day columns",
        "0 were found",
        "d_1, d_2",
    ),
    raw("sales without rows", SALES, f"id,item_id,cat_id,store_id,{DAYS}\n", "header", "no row", "published"),
    raw(
        "more days than the calendar",
        SALES,
        RAW[SALES].replace("d_14", "d_14,d_15").replace("1\n", "1,1\n"),
        "d_15",
        "14 days",
        "calendar",
    ),
    raw(
        "prices of text",
        "sell_prices.csv",
        RAW["sell_prices.csv"].replace("2.5", "cheap"),
        "cannot be read",
        "cheap",
        "published|numbers",
    ),
    raw(
        "binary prices",
        "sell_prices.csv",
        b"\xff\xfe\x00\x01" * 100,
        "cannot be read|lacks",
        "utf-8|decode|column",
        "published|does not look",
    ),
    Case(
        "m5: an empty folder",
        "data/user/m5",
        "panel.path",
        "calendar.csv, sell_prices.csv",
        "prepared weekly CSV",
        {"panel": {"source": "m5", "path": "data/user/m5"}},
        {"data/user/m5": _folder_without},
    ),
]

WEEKLIES = [
    weekly("weekly, empty", "", "", "No columns|empty", "panel.source: csv"),
    weekly("weekly, another table", "a,b\n1,2\n", "'store_id'", "8 of 8", "panel.source: csv"),
    weekly("weekly, UTF-16", f"{HEADER}\n".encode("utf-16"), "", "utf-8|UTF-16|decode", "panel.source: csv"),
    weekly(
        "weekly, text for units",
        f"{HEADER}\nCA_1,FOODS,CA,2011-01-31,many,1,1,1\n",
        "m5_weekly",
        "many",
        "panel.source: csv",
    ),
    weekly(
        "weekly, no date",
        f"{HEADER}\nCA_1,FOODS,CA,soon,1,1,1,1\n",
        "week_start",
        "not a date",
        "such as 2011-01-31",
    ),
    weekly(
        "weekly, no unit",
        f"{HEADER}\nCA_1,FOODS,CA,2011-01-31,,1,1,1\n",
        "CA_1_FOODS.*2011-01-31",
        "missing",
        "true value",
    ),
    weekly("weekly, header only", f"{HEADER}\n", "no row", "", "panel.path"),
]

CASES = [*RAWS, *WEEKLIES]
