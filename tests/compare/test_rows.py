"""Stored forecasts against the panel and runs.json: each disagreement is refused and named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from panelbench.compare.rows import read_predictions
from panelbench.compare.runs import load_results
from panelbench.errors import InputError
from panelbench.files import write_parquet


@pytest.fixture
def written(runs_tree):
    """A tree with one experiment, its predictions file and its panel."""
    runs_tree.add("rnn")
    results = load_results(runs_tree.settings(), runs_tree.root)
    return runs_tree.run_folder("rnn") / "predictions.parquet", results.panel


def rewrite(path, change) -> None:
    write_parquet(path, change(pd.read_parquet(path)))


def refused(path, panel, *words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_predictions(path, (0, 1, 2), panel)
    for word in (str(path), *words):
        assert word in str(caught.value)


def test_when_rows_are_in_any_order_then_the_same_arrays_come_out(written):
    path, panel = written
    rows, y_hat = read_predictions(path, (0, 1, 2), panel)
    rewrite(path, lambda frame: frame.sample(frac=1.0, random_state=0))
    again, shuffled = read_predictions(path, (0, 1, 2), panel)
    assert (shuffled == y_hat).all()
    rows.must_equal(again, "a", "b")


def test_when_the_file_is_absent_then_it_is_named(written):
    path, panel = written
    path.unlink()
    refused(path, panel, "not there")


@pytest.mark.parametrize("content", [b"", b"half a file", b"PAR1" + b"\0" * 40 + b"PAR1"])
def test_when_the_file_is_corrupt_then_it_is_named(written, content):
    path, panel = written
    path.write_bytes(content)
    refused(path, panel, "cannot be read")


def test_when_a_column_is_missing_then_the_needed_ones_are_named(written):
    path, panel = written
    rewrite(path, lambda frame: frame.drop(columns="origin"))
    refused(path, panel, "origin")


def test_when_the_file_has_no_rows_then_it_is_refused(written):
    path, panel = written
    rewrite(path, lambda frame: frame.iloc[:0])
    refused(path, panel, "no rows")


@pytest.mark.parametrize("column", ["y_hat", "step", "ds"])
def test_when_a_column_is_text_then_it_is_named(written, column):
    path, panel = written
    rewrite(path, lambda frame: frame.astype({column: str}))
    refused(path, panel, f"{column} (")


def test_when_a_finished_seed_has_no_forecasts_then_both_lists_are_named(written):
    path, panel = written
    rewrite(path, lambda frame: frame[frame["seed"] != 1])
    refused(path, panel, "[0, 2]", "[0, 1, 2]")


def test_when_a_series_is_unknown_then_it_is_refused(written):
    path, panel = written
    rewrite(path, lambda frame: frame.replace({"unique_id": {"store_01": "store_99"}}))
    refused(path, panel, "unknown series")


@pytest.mark.parametrize("column", ["ds", "origin"])
def test_when_a_date_is_off_the_axis_then_it_is_refused(written, column):
    path, panel = written
    rewrite(path, lambda frame: frame.assign(**{column: frame[column] + pd.Timedelta(days=1)}))
    refused(path, panel, "period")


def test_when_the_origin_is_not_step_periods_before_then_it_is_refused(written):
    path, panel = written
    rewrite(path, lambda frame: frame.assign(step=2))
    refused(path, panel, "`step` periods after its origin")


def test_when_one_seed_lacks_a_row_then_it_is_refused(written):
    path, panel = written
    rewrite(path, lambda frame: frame.drop(index=frame.index[50]))
    refused(path, panel, "same rows")


def test_when_each_seed_lacks_another_row_then_it_is_refused(written):
    path, panel = written
    rewrite(path, lambda frame: frame.drop(index=[0, 48 + 1, 96 + 2]))
    refused(path, panel, "same rows")


def test_when_a_row_is_doubled_in_every_seed_then_it_is_refused(written):
    path, panel = written
    rewrite(path, lambda frame: pd.concat([frame, frame[frame["ds"] == frame["ds"].min()]]))
    refused(path, panel, "twice")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_when_a_forecast_is_not_finite_then_it_is_refused_and_counted(written, value):
    path, panel = written
    rewrite(
        path, lambda frame: frame.assign(y_hat=np.where(np.arange(len(frame)) < 2, value, frame["y_hat"]))
    )
    refused(path, panel, "2 forecasts")


def test_when_an_actual_value_is_not_the_panels_then_it_is_refused(written):
    path, panel = written
    rewrite(path, lambda frame: frame.assign(y=frame["y"].where(frame.index != 5, 1.0)))
    refused(path, panel, "column y")


def test_when_experiments_cover_other_periods_then_both_are_named(runs_tree):
    runs_tree.add("rnn")
    runs_tree.add("lstm")
    path = runs_tree.run_folder("lstm") / "predictions.parquet"
    rewrite(path, lambda frame: frame[frame["ds"] > frame["ds"].min()])
    results = load_results(runs_tree.settings(), runs_tree.root)
    results.forecasts("rnn")
    with pytest.raises(InputError, match=r"'rnn' \(48 rows.*'lstm' \(44 rows"):
        results.forecasts("lstm")


def test_when_experiments_have_other_horizons_then_each_has_rows_of_its_own(runs_tree):
    runs_tree.add("rnn")
    runs_tree.add("lstm", own={"horizon": 2})
    results = load_results(runs_tree.settings(), runs_tree.root)
    assert [results.forecasts(name)[0].n for name in ("rnn", "lstm")] == [4 * 12, 4 * 11 * 2]
    assert {horizon: rows.horizon for horizon, rows in results.rows.items()} == {1: 1, 2: 2}


def test_when_forecasts_have_another_horizon_than_their_record_then_they_are_refused(runs_tree):
    runs_tree.add("rnn", own={"horizon": 2})
    path = runs_tree.run_folder("rnn") / "runs.json"
    path.write_text(path.read_text().replace('"horizon": 2', '"horizon": 3'))
    results = load_results(runs_tree.settings(), runs_tree.root)
    with pytest.raises(InputError, match=r"forecasts 2 steps ahead, but the horizon in runs\.json is 3"):
        results.forecasts("rnn")


@pytest.mark.parametrize(
    "kept",
    [
        lambda frame: frame["y"] > frame["y"].median(),
        lambda frame: frame["ds"] > frame["ds"].min(),
        lambda frame: frame["unique_id"] != "store_00",
    ],
    ids=["rows", "periods", "series"],
)
def test_when_every_experiment_leaves_the_same_rows_out_then_it_is_still_noticed(runs_tree, kept):
    for name in ("rnn", "lasso"):
        runs_tree.add(name, seeds=(0, 1, 2))
        rewrite(runs_tree.run_folder(name) / "predictions.parquet", lambda frame: frame[kept(frame)])
    results = load_results(runs_tree.settings(), runs_tree.root)
    with pytest.raises(InputError, match=r"forecasts of .* rows .* the test block is the last 12 periods"):
        results.forecasts("rnn")
