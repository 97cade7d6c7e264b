"""CSV files that are right, however they are written."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.panel.csv_table import run, table


def test_build_when_the_file_is_right_then_the_panel_has_its_numbers(tmp_path):
    panel = run(
        table().sample(frac=1, random_state=0), tmp_path, unit="boxes", event="promo", title="My shops"
    )
    assert panel.series == ("north_a", "north_b", "south_a", "south_b")
    assert panel.y[0].tolist() == [5, 15, 25, 35, 45, 55]
    assert panel.future[2, :, 0].tolist() == [0, 1, 0, 1, 0, 1]
    assert panel.static["region"].tolist() == ["r5"] * 4
    info = panel.info
    assert (info.unit, info.event_column, info.title, info.target_name) == (
        "boxes",
        "promo",
        "My shops",
        "sold",
    )
    assert (info.season, info.frequency, info.past) == (52, "W-MON", ())


@pytest.mark.parametrize(
    ("content", "keys"),
    [
        (b"\xef\xbb\xbf" + table().to_csv(index=False).encode(), {}),
        (table().to_csv(index=False).replace("\n", "\r\n"), {}),
        (table().to_csv(index=False, sep=";", decimal=","), {"delimiter": ";", "decimal": ","}),
        (table().to_csv(index=False, sep="\t"), {"delimiter": "\t"}),
        (table().to_csv(index=False, quoting=1).replace("\n", "\n\n"), {}),
        (
            table().assign(week=pd.to_datetime(table()["week"]).dt.strftime("%d.%m.%Y")),
            {"time_format": "%d.%m.%Y"},
        ),
        (table().assign(week=table()["week"] + "T00:00"), {}),
    ],
    ids=[
        "byte-order mark",
        "windows line ends",
        "semicolon",
        "tab",
        "quoted, blank lines",
        "own dates",
        "with time",
    ],
)
def test_build_when_the_file_is_written_in_another_way_then_the_panel_is_the_same(content, keys, tmp_path):
    (tmp_path / "plain").mkdir()
    expected = run(table(), tmp_path / "plain")
    panel = run(content, tmp_path, **keys)
    pd.testing.assert_frame_equal(panel.to_frame(), expected.to_frame())


def test_build_when_incomplete_is_drop_then_the_series_is_left_out_and_noted(tmp_path):
    panel = run(table().drop(index=8), tmp_path, incomplete="drop")
    assert panel.series == ("north_a", "south_a", "south_b")
    assert any("north_b" in note for note in panel.info.notes)


def test_build_when_there_is_no_id_then_the_file_is_one_series(tmp_path):
    panel = run(table().head(6), tmp_path, id=[])
    assert panel.series == ("series",)


def test_build_when_the_id_is_one_name_then_it_may_be_written_without_brackets(tmp_path):
    panel = run(table()[lambda frame: frame["line"] == "a"], tmp_path, id="shop")
    assert panel.series == ("north", "south")


def test_build_when_a_series_is_constant_then_it_stays_and_is_noted(tmp_path):
    panel = run(table().assign(sold=3), tmp_path)
    assert np.all(panel.y == 3)
    assert any("Constant target in 4 series" in note for note in panel.info.notes)


def test_build_when_a_column_is_past_then_it_is_kept_apart(tmp_path):
    panel = run(table().assign(rain=range(24)), tmp_path, past=["rain"])
    assert panel.past[1, :, 0].tolist() == [6, 7, 8, 9, 10, 11]
    assert panel.info.past == ("rain",)
