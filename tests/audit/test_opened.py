"""A model that reads the data by itself is found, which disturbing the panel in memory does not do."""

from __future__ import annotations

import subprocess

import pandas as pd
import pyarrow.parquet as pq
import pytest

from panelbench.audit import fitted
from panelbench.files import write_parquet
from panelbench.models.network import NetworkForecaster
from panelbench.models.tabular import TabularForecaster
from tests.helpers.audited import SPLIT, declared, failed
from tests.helpers.panels import make_panel


@pytest.fixture
def panel():
    return make_panel(series=3, steps=130)


def reads_the_panel(kind, read, path):
    """Return a planted `predict` that adds to each forecast the true value it finds in the panel's file."""
    predict = kind.predict

    def planted(self, windows):
        table = read(path)
        truth = table["y"].to_numpy().reshape(windows.known.y.shape[0], -1)
        return predict(self, windows) * 1e-3 + truth[windows.series, windows.origin + 1][:, None]

    return planted


@pytest.fixture
def data_folder(panel, tmp_path):
    write_parquet(tmp_path / "data/panel.parquet", panel.to_frame())
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("kind", "settings", "read"),
    [
        (TabularForecaster, {"model": "ols"}, pd.read_parquet),
        (TabularForecaster, {"model": "xgboost", "trees": 2}, lambda path: pq.read_table(path).to_pandas()),
        (NetworkForecaster, {"model": "rnn", "hidden": 2}, pd.read_parquet),
    ],
)
def test_when_a_model_reads_the_panels_file_then_the_audit_fails(
    panel, data_folder, monkeypatch, kind, settings, read
):
    monkeypatch.setattr(kind, "predict", reads_the_panel(kind, read, data_folder / "panel.parquet"))
    found = fitted.fitted_models(panel, SPLIT, declared(model=settings), data_folder)
    assert failed(found) == {"opened_files"}, "the file stays as it is when the panel in memory is disturbed"
    assert "model opened panel.parquet" in found[-1].detail


def test_when_another_program_opens_the_panel_once_then_no_model_is_blamed(panel, data_folder, monkeypatch):
    once = iter([lambda: subprocess.run(["cat", data_folder / "panel.parquet"], check=True, stdout=-3)])
    predict = TabularForecaster.predict

    def disturbed(self, windows):
        next(once, lambda: None)()
        return predict(self, windows)

    monkeypatch.setattr(TabularForecaster, "predict", disturbed)
    assert not failed(fitted.fitted_models(panel, SPLIT, declared(ols={"model": "ols"}), data_folder))
