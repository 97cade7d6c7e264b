from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from panelbench.errors import InputError, RunFailure
from panelbench.panel import load_panel, m5
from panelbench.panel.contract import check
from panelbench.panel.fetch import fetch
from panelbench.panel.prepare import prepare
from panelbench.panel.registry import resolve


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


def zipped(folder: Path, path: Path, prefix: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.glob("*.csv")):
            archive.write(file, prefix + file.name)
    return path


def built(path: Path, tmp_path: Path) -> pd.DataFrame:
    settings = {"source": "m5", "path": str(path)}
    fetch(settings, tmp_path / "raw")
    return check(m5.build(resolve(settings), tmp_path / "raw"))[0]


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


def test_fetch_when_a_raw_file_is_missing_then_it_is_named(raw_m5, tmp_path):
    folder = raw_m5.write(tmp_path / "m5")
    (folder / "sell_prices.csv").unlink()
    with pytest.raises(InputError, match=r"lacks sell_prices.csv"):
        fetch({"source": "m5", "path": str(folder)}, tmp_path / "raw")
    with pytest.raises(InputError, match=r"holds 0 files named sell_prices.csv"):
        fetch({"source": "m5", "path": str(zipped(folder, tmp_path / "x.zip"))}, tmp_path / "raw")


def test_fetch_when_the_zip_is_none_or_too_large_inside_then_it_is_refused(raw_m5, tmp_path, monkeypatch):
    (tmp_path / "no.zip").write_text("hello")
    with pytest.raises(InputError, match="cannot be opened as a zip"):
        fetch({"source": "m5", "path": str(tmp_path / "no.zip")}, tmp_path / "raw")
    monkeypatch.setattr("panelbench.panel.m5_archive.LARGEST", 100)
    path = zipped(raw_m5.write(tmp_path / "m5"), tmp_path / "big.zip")
    with pytest.raises(InputError, match="100 is the limit"):
        fetch({"source": "m5", "path": str(path)}, tmp_path / "raw")


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


def test_fetch_when_the_first_mirror_fails_then_the_next_one_serves_and_no_part_is_left(
    raw_m5, tmp_path, server
):
    folder = raw_m5.write(tmp_path / "m5")
    server.content["/page.zip"] = b"<html>please sign in</html>"
    for name in ("calendar.csv", "sell_prices.csv", "sales_train_evaluation.csv"):
        server.content[f"/files/{name}"] = (folder / name).read_bytes()
    addresses = [f"{server.address}/{tail}" for tail in ("gone.zip", "page.zip", "files/")]
    settings = {"source": "m5", "urls": addresses}
    fetch(settings, tmp_path / "raw")
    names = {"calendar.csv", "sell_prices.csv", "sales_train_evaluation.csv"}
    assert {path.name for path in (tmp_path / "raw").iterdir()} == {*names, "source.json"}
    server.requests.clear()
    fetch(settings, tmp_path / "raw")
    assert server.requests == []
    with pytest.raises(RunFailure, match="does not hold the whole M5"):
        m5.build(resolve(settings), tmp_path / "raw")


def test_fetch_when_the_zip_download_is_cut_then_it_resumes_and_the_hash_is_checked(raw_m5, tmp_path, server):
    body = zipped(raw_m5.write(tmp_path / "m5"), tmp_path / "m5.zip").read_bytes()
    server.content["/m5.zip"], server.cuts = body, [len(body) // 2]
    settings = {"source": "m5", "urls": [f"{server.address}/m5.zip"]}
    with pytest.raises(RunFailure, match="the archive has SHA-256"):
        fetch({**settings, "sha256": "0" * 64}, tmp_path / "raw")
    assert not list((tmp_path / "raw").glob("*"))
    server.cuts = [len(body) // 2]
    fetch(settings, tmp_path / "raw")
    assert (tmp_path / "raw" / "m5.zip").read_bytes() == body


def test_fetch_when_no_mirror_answers_then_each_reason_and_the_way_out_are_named(tmp_path, server):
    addresses = [f"{server.address}/a.zip", f"{server.address}/b.zip"]
    with pytest.raises(RunFailure, match=r"2 mirrors.*a.zip: it answered 404.*b.zip.*presets/synthetic.yaml"):
        fetch({"source": "m5", "urls": addresses}, tmp_path / "raw")


def test_prepare_when_the_prepared_csv_is_the_lectures_then_its_known_totals_hold(m5_csv, tmp_path):
    settings = {"source": "m5", "path": str(m5_csv)}
    fetch(settings, tmp_path / "raw")
    info = prepare(settings, tmp_path / "raw", tmp_path / "p.parquet", tmp_path / "p.json")
    panel = load_panel(tmp_path / "p.parquet", tmp_path / "p.json")
    assert (panel.n_series, panel.n_steps, info.n_rows) == (30, 277, 8310)
    assert (info.start, info.end) == ("2011-01-31", "2016-05-16")
    assert info.future == ("avg_price", "snap_days", "event_days")
    naive = np.sqrt(np.mean((panel.y[:, -53:] - panel.y[:, -105:-52]) ** 2))
    assert naive == pytest.approx(2152.118, abs=0.001)
    assert panel.y[:, -53:].mean() == pytest.approx(9301, abs=0.5)
    assert any("known totals" in note for note in info.notes)


def test_build_when_one_number_of_the_whole_m5_is_changed_then_it_is_refused(m5_csv, tmp_path):
    table = pd.read_csv(m5_csv)
    table.loc[100, "units"] += 1
    table.to_csv(tmp_path / "changed.csv", index=False)
    with pytest.raises(RunFailure, match="sum of units"):
        built(tmp_path / "changed.csv", tmp_path)


def test_build_when_units_of_the_whole_m5_are_swapped_then_the_pinned_content_differs(m5_csv, tmp_path):
    table = pd.read_csv(m5_csv)
    early = [10, 20]
    table.loc[early, "units"] = table.loc[early[::-1], "units"].to_numpy()
    table.to_csv(tmp_path / "changed.csv", index=False)
    with pytest.raises(RunFailure, match="weekly counts have SHA-256"):
        built(tmp_path / "changed.csv", tmp_path)


def test_build_when_the_prepared_csv_lacks_a_column_then_the_nearest_is_named(tmp_path):
    (tmp_path / "w.csv").write_text("store_id,cat_id,state_id,week,units,avg_price,snap_days,event_days\n")
    with pytest.raises(InputError, match=r"lacks the column 'week_start' \(1 of 8"):
        built(tmp_path / "w.csv", tmp_path)


def test_build_when_the_prepared_csv_has_no_dates_then_it_is_refused(tmp_path):
    (tmp_path / "w.csv").write_text(f"{','.join(m5.COLUMNS)}\nCA_1,FOODS,CA,soon,1,2,3,4\n")
    with pytest.raises(InputError, match="week_start that is not a date"):
        built(tmp_path / "w.csv", tmp_path)


def marked(path, local: int, central: int, bit: int):
    """Change one byte of every member's two headers: how a zip says how it is packed."""
    content = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        at = content.find(signature)
        while at >= 0:
            content[at + offset] |= bit
            at = content.find(signature, at + 4)
    path.write_bytes(bytes(content))
    return path


@pytest.mark.parametrize(("local", "central", "bit"), [(6, 8, 1), (8, 10, 64)], ids=["password", "method"])
def test_fetch_when_the_zip_cannot_be_unpacked_then_it_is_said(raw_m5, tmp_path, local, central, bit):
    path = marked(zipped(raw_m5.write(tmp_path / "m5"), tmp_path / "x.zip"), local, central, bit)
    with pytest.raises(InputError, match=r"calendar\.csv that cannot be unpacked"):
        fetch({"source": "m5", "path": str(path)}, tmp_path / "raw")


@pytest.mark.parametrize("column", ["store_id", "state_id"])
def test_build_when_the_prepared_csv_lacks_a_name_then_it_is_refused(raw_m5, tmp_path, column):
    weekly = built(raw_m5.write(tmp_path / "m5"), tmp_path).rename(columns={"ds": "week_start", "y": "units"})
    weekly[column] = None
    weekly.to_csv(tmp_path / "weekly.csv", index=False)
    settings = {"source": "m5", "path": str(tmp_path / "weekly.csv")}
    fetch(settings, tmp_path / "raw2")
    with pytest.raises(InputError, match="is missing in"):
        prepare(settings, tmp_path / "raw2", tmp_path / "p.parquet", tmp_path / "p.json")
