"""M5 from the prepared CSV file of weeks, and the totals that the whole of M5 must have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from panelbench.errors import InputError, RunFailure
from panelbench.panel import load_panel, m5
from panelbench.panel.fetch import fetch
from panelbench.panel.prepare import prepare
from tests.helpers.m5 import built


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


@pytest.mark.parametrize("column", ["store_id", "state_id"])
def test_build_when_the_prepared_csv_lacks_a_name_then_it_is_refused(raw_m5, tmp_path, column):
    weekly = built(raw_m5.write(tmp_path / "m5"), tmp_path).rename(columns={"ds": "week_start", "y": "units"})
    weekly[column] = None
    weekly.to_csv(tmp_path / "weekly.csv", index=False)
    settings = {"source": "m5", "path": str(tmp_path / "weekly.csv")}
    fetch(settings, tmp_path / "raw2")
    with pytest.raises(InputError, match="is missing in"):
        prepare(settings, tmp_path / "raw2", tmp_path / "p.parquet", tmp_path / "p.json")
