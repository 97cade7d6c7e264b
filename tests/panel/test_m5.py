"""M5 from its raw files: the weekly panel of stores and categories, and raw files that are wrong."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from panelbench.errors import InputError
from tests.helpers.m5 import built, zipped


def brute_force(raw_m5) -> pd.DataFrame:
    """The same aggregation the slow and obvious way: one row an item and day."""
    names = ["item_id", "cat_id", "store_id"]
    long = raw_m5.sales.melt(names, [c for c in raw_m5.sales if c.startswith("d_")], "d", "units")
    long = long.merge(raw_m5.calendar, on="d")
    prices = raw_m5.prices.assign(cat_id=raw_m5.prices["item_id"].str.split("_").str[0])
    mean = (
        prices.groupby(["store_id", "cat_id", "wm_yr_wk"])["sell_price"].mean().rename("price").reset_index()
    )
    daily = long.groupby(["store_id", "cat_id", "d"], as_index=False)["units"].sum()
    daily = daily.merge(raw_m5.calendar, on="d").merge(
        mean, on=["store_id", "cat_id", "wm_yr_wk"], how="left"
    )
    daily["date"] = pd.to_datetime(daily["date"])
    daily["ds"] = daily["date"].dt.to_period("W-SUN").dt.start_time
    daily["snap"] = np.where(daily["store_id"] == "CA_1", daily["snap_CA"], daily["snap_TX"])
    daily["event"] = daily["event_name_1"].notna()
    grouped = daily.groupby(["store_id", "cat_id", "ds"])
    weeks = grouped.agg(
        y=("units", "sum"),
        snap_days=("snap", "sum"),
        event_days=("event", "sum"),
        avg_price=("price", "mean"),
        n=("d", "size"),
    )
    return weeks[weeks["n"] == 7].drop(columns="n").astype(float).reset_index()


def test_build_when_raw_files_are_in_a_folder_then_it_equals_the_slow_aggregation(raw_m5, tmp_path):
    frame = built(raw_m5.write(tmp_path / "m5"), tmp_path)
    expected = brute_force(raw_m5)
    assert list(frame.columns[2:6]) == ["y", "avg_price", "snap_days", "event_days"]
    assert list(frame["unique_id"]) == list(expected["store_id"] + "_" + expected["cat_id"])
    assert list(frame["ds"]) == list(expected["ds"])
    for name in ("y", "snap_days", "event_days"):
        assert list(frame[name]) == list(expected[name])
    np.testing.assert_allclose(frame["avg_price"], expected["avg_price"], rtol=1e-6)
    assert list(frame["state_id"]) == [name[:2] for name in expected["store_id"]]


def test_build_when_read_in_small_pieces_then_it_is_the_same(raw_m5, tmp_path, monkeypatch):
    folder = raw_m5.write(tmp_path / "m5")
    whole = built(folder, tmp_path)
    monkeypatch.setattr("panelbench.panel.m5_raw.SALES_ROWS", 5)
    monkeypatch.setattr("panelbench.panel.m5_raw.PRICE_ROWS", 7)
    pd.testing.assert_frame_equal(built(folder, tmp_path), whole)


def test_build_when_the_calendar_lacks_d_and_is_shuffled_then_it_is_the_same(raw_m5, tmp_path):
    whole = built(raw_m5.write(tmp_path / "m5"), tmp_path)
    mirror = raw_m5.calendar.drop(columns="d").sample(frac=1, random_state=1)
    folder = type(raw_m5)(mirror, raw_m5.prices, raw_m5.sales).write(tmp_path / "mirror")
    pd.testing.assert_frame_equal(built(folder, tmp_path), whole)


@pytest.mark.parametrize("prefix", ["", "m5/datasets/"])
def test_build_when_the_files_are_in_a_zip_then_they_are_read_and_nothing_is_unpacked(
    raw_m5, tmp_path, prefix
):
    folder = raw_m5.write(tmp_path / "m5")
    whole = built(folder, tmp_path)
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    frame = built(zipped(folder, tmp_path / "data.zip", prefix), tmp_path)
    pd.testing.assert_frame_equal(frame, whole)
    added = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    assert {path.name for path in added} == {"data.zip", "m5.zip"}
    assert not (tmp_path / "raw" / "calendar.csv").exists()


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("sales", lambda f: f.rename(columns={"store_id": "store"}), "lacks the column 'store_id'.*'store'"),
        ("sales", lambda f: f.assign(d_3="many"), "whole numbers"),
        ("sales", lambda f: f.drop(columns="d_5"), "without a gap"),
        ("sales", lambda f: f.iloc[:0], "has a header but no row"),
        ("prices", lambda f: f.iloc[:0], "has a header but no row"),
        ("prices", lambda f: f.assign(sell_price="dear"), "sell_prices.csv cannot be read"),
        ("calendar", lambda f: f.drop(index=7), "day after 2011-02-04 is missing"),
        ("calendar", lambda f: f.iloc[:30], "goes to d_40, but calendar.csv has only 30"),
        ("calendar", lambda f: f.assign(date="soon"), "must hold dates"),
        (
            "calendar",
            lambda f: f.assign(snap_TX=np.nan),
            "'snap_TX' is 'nan' on 2011-01-29; it must be 0 or 1",
        ),
        ("calendar", lambda f: f.assign(snap_CA="x"), "'snap_CA' is 'x' on 2011-01-29; it must be 0 or 1"),
        ("sales", lambda f: f.assign(store_id=None), "store_id or cat_id is empty"),
        ("calendar", lambda f: f.assign(d=list(f["d"])[::-1]), "does not count the days"),
        ("calendar", lambda f: f.drop(columns="snap_TX"), "lacks the column 'snap_TX'"),
    ],
)
def test_build_when_a_raw_file_is_wrong_then_the_file_and_the_fault_are_named(
    raw_m5, tmp_path, name, change, message
):
    frames = {"calendar": raw_m5.calendar, "prices": raw_m5.prices, "sales": raw_m5.sales}
    frames[name] = change(frames[name])
    with pytest.raises(InputError, match=message):
        built(type(raw_m5)(**frames).write(tmp_path / "m5"), tmp_path)


def test_build_when_a_category_has_no_price_in_a_week_then_series_and_week_are_named(raw_m5, tmp_path):
    late = raw_m5.prices[~((raw_m5.prices["store_id"] == "TX_1") & (raw_m5.prices["wm_yr_wk"] < 11103))]
    with pytest.raises(InputError, match=r"'avg_price' is missing.*'TX_1_FOODS' at 2011-01-31"):
        built(type(raw_m5)(raw_m5.calendar, late, raw_m5.sales).write(tmp_path / "m5"), tmp_path)
