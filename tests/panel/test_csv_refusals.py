"""CSV files, names and settings that are refused, and what is said of them."""

from __future__ import annotations

import os

import pandas as pd
import pytest

from panelbench.errors import InputError
from panelbench.panel import load_panel
from panelbench.panel.fetch import fetch
from tests.panel.csv_table import COLUMNS, cell, run, table


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\ufeff", "is empty"),
        ("shop,line,week,sold,promo,region\n", r"has a header \(shop, line.*but no row"),
        (table().to_csv(index=False).encode("utf-16"), "is in UTF-16"),
        (b"shop,line\nnorth,\0\n", "zero bytes"),
        (
            table(("nord", "s\u00fcd")).to_csv(index=False).encode("latin-1"),
            r"line 14: the byte 0xfc is not UTF-8",
        ),
        (
            table().rename(columns={"sold": "solde"}),
            r"no column 'sold'.*1 of 6.*Did you mean 'solde'.*Columns there: shop",
        ),
        (table().to_csv(index=False, sep=";"), r"separated by ';': set panel.delimiter"),
        (table().rename(columns={"ignored": "sold"}), r"2 columns named 'sold'"),
        (
            table().to_csv(index=False).replace("south,b,2024-01-15", "south,b,c,2024-01-15"),
            r"line 22: 8 fields .* has 7",
        ),
        (table().to_csv(index=False) + 'south,"b', r"line 26: a double quote is opened"),
        (
            cell(8, "sold", "many"),
            r"line 10: the column 'sold' is 'many' in the series 'north_b' at 2024-01-15.*1 of 24",
        ),
        (cell(8, "sold", ""), r"'sold' is ''.*'north_b' at 2024-01-15, which is missing; 1 of 24"),
        (cell(8, "sold", "NaN"), r"'north_b' at 2024-01-15, which is missing"),
        (cell(8, "sold", "-inf"), r"'north_b' at 2024-01-15, which is infinite"),
        (cell(8, "sold", "1e999"), r"target \(sold\) is inf in the series 'north_b' at 2024-01-15"),
        (cell(8, "sold", "1,234"), r"is '1,234'.*not a number"),
        (cell(8, "promo", "yes"), r"'promo' is 'yes'.*not a number"),
        (
            cell(8, "week", "15/01/2024"),
            r"line 10: the column 'week' is '15/01/2024' in the series 'north_b'.*not a date",
        ),
        (cell(8, "week", "2024-02-30"), r"'2024-02-30'.*not a date"),
        (cell(8, "week", "2024-01-15T00:00+01:00"), r"a date with a time zone; 1 of 24"),
        (cell(8, "week", "2024-01-15T00:00Z"), r"a date with a time zone"),
        (cell(8, "week", "9024-01-15"), r"not plausible"),
        (
            cell(8, "week", "2024-01-16"),
            r"'north_b' the date 2024-01-16 \(a Tuesday\) is not the start.*1 of 24",
        ),
        (cell(8, "week", "2024-01-08"), r"'north_b' has more than one row for 2024-01-08; 1 rows"),
        (table().drop(index=8), r"'north_b' has no row for 2024-01-15.*1 periods, and 1 of 4 series lack 1"),
        (table().drop(index=6), r"'north_b' runs from 2024-01-08"),
        (cell(8, "line", " "), r"line 10: the id column 'line' is empty; 1 rows"),
        (cell(8, "region", ""), r"'region' is ''.*which is empty"),
        (cell(8, "region", "other"), r"'region' changes within the series 'north_b'"),
    ],
)
def test_build_when_the_file_is_wrong_then_the_place_the_value_and_the_count_are_named(
    content, message, tmp_path
):
    with pytest.raises(InputError, match=message) as caught:
        run(content, tmp_path)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "p.parquet").exists()


def test_build_when_two_id_pairs_join_to_one_name_then_it_is_refused(tmp_path):
    first = table().assign(shop="a_b", line="c").head(6)
    second = table().assign(shop="a", line="b_c").head(6)
    with pytest.raises(InputError, match="two different series get the name 'a_b_c'"):
        run(pd.concat([first, second]), tmp_path)


def test_fetch_when_the_path_is_wrong_then_it_is_named(tmp_path):
    settings = {"source": "csv", **COLUMNS}
    with pytest.raises(InputError, match="nothing is there"):
        fetch({**settings, "path": str(tmp_path / "none.csv")}, tmp_path / "raw")
    with pytest.raises(InputError, match="is a folder"):
        fetch({**settings, "path": str(tmp_path)}, tmp_path / "raw")
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "mine.csv").write_text("x")
    with pytest.raises(InputError, match="own folder for raw files"):
        fetch({**settings, "path": str(tmp_path / "raw" / "mine.csv")}, tmp_path / "raw")


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "\u202eturned", "n" * 201])
def test_build_when_a_series_name_is_not_one_short_line_then_the_line_is_named(name, tmp_path):
    with pytest.raises(InputError, match=r"mine\.csv, line \d+: the series is called .*one line") as caught:
        run(cell(0, "shop", name), tmp_path)
    assert "\n" not in str(caught.value)


def test_build_when_a_static_value_is_not_one_line_then_the_column_is_named(tmp_path):
    frame = table()
    frame.loc[frame["shop"] == "north", "region"] = "two\nlines"
    with pytest.raises(InputError, match=r"the column 'region' is .*one line"):
        run(frame, tmp_path)


@pytest.mark.parametrize("value", ["\u0663", "\uff11\uff12"])
def test_build_when_digits_are_of_another_script_then_they_are_not_taken_for_numbers(value, tmp_path):
    with pytest.raises(InputError, match="not a number"):
        run(cell(3, "sold", value), tmp_path)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"delimiter": '"'}, "delimiter .*cannot stand between fields"),
        ({"delimiter": "\n"}, "delimiter .*cannot stand between fields"),
        ({"delimiter": "a"}, "delimiter .*cannot stand between fields"),
        ({"time_format": "mixed"}, "time_format .*has no part of a date"),
        ({"time_format": "ISO8601"}, "time_format .*has no part of a date"),
        ({"title": "two\nlines"}, "title .*one line"),
        ({"unit": "two\nlines"}, "unit .*one line"),
        ({"target": "two\nlines"}, "target .*one line"),
    ],
)
def test_build_when_a_setting_would_guess_or_break_a_page_then_it_is_refused(keys, message, tmp_path):
    with pytest.raises(InputError, match=message):
        run(table(), tmp_path, **keys)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("circle.csv", "cannot be looked up|nothing is there"),
        ("n" * 400, "cannot be looked up: File name too long"),
        ("~no_such_user/mine.csv", "cannot be looked up|nothing is there"),
        ("pipe", "neither a file nor a folder"),
        (".", "is a folder"),
    ],
)
def test_fetch_when_the_path_is_no_ordinary_file_then_it_is_refused(path, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "circle.csv").symlink_to("circle.csv")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=message):
        fetch({"source": "csv", "path": path, **COLUMNS}, tmp_path / "raw")


def test_build_when_the_file_is_utf32_then_it_is_called_so(tmp_path):
    with pytest.raises(InputError, match="is in UTF-32"):
        run(table().to_csv(index=False).encode("utf-32"), tmp_path)


@pytest.mark.parametrize("content", ["", "junk", "{}", "[]", '{"source": 3}', '{"source": '])
def test_load_when_the_panels_facts_are_damaged_then_it_is_said_and_no_fault_of_a_model(content, tmp_path):
    run(table(), tmp_path)
    (tmp_path / "p.json").write_text(content)
    with pytest.raises(InputError, match=r"p\.json (does not describe a panel|is not valid JSON)"):
        load_panel(tmp_path / "p.parquet", tmp_path / "p.json")
