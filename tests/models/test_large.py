"""Tables of features computed part by part: the models are those of the table held as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from panelbench.data import feature_table, parts
from panelbench.models import registry, stream
from tests.models.small import panel, settings, task


def fitted(model, **own):
    experiment = settings(model, **own)
    blocks = task(experiment, panel(series=7, steps=90))
    forecaster = registry.build(experiment, 0)
    record = forecaster.fit(blocks.train, blocks.valid)
    return forecaster.predict(blocks.test), record.notes


@pytest.fixture
def in_parts(monkeypatch):
    """Treat every panel as large, in parts of two or three series."""

    def switch():
        monkeypatch.setattr(stream, "LARGEST", 0)
        monkeypatch.setattr(stream, "LARGEST_LINEAR", 0)
        monkeypatch.setattr(parts.by_series, "__defaults__", (150,))

    return switch


@pytest.mark.parametrize(
    ("model", "own", "tolerance"),
    [
        ("ols", {}, 1e-7),
        ("ridge", {}, 1e-7),
        ("ridge", {"cv": "rows"}, 1e-7),
        ("ridge", {"alpha": 3.0}, 1e-7),
        ("lasso", {}, 1e-4),  # coordinate descent stops within its tolerance of the optimum, not at it
        ("lasso", {"cv": "rows"}, 1e-4),
        ("lasso", {"alpha": 2.0, "horizon": 3}, 1e-4),
        ("random_forest", {}, 1e-12),
    ],
)
def test_when_the_table_comes_in_parts_then_the_model_is_the_same(model, own, tolerance, in_parts):
    whole, whole_notes = fitted(model, **own)
    in_parts()
    found, notes = fitted(model, **own)

    np.testing.assert_allclose(found, whole, rtol=tolerance)
    assert (notes["features"], notes["rows"]) == (whole_notes["features"], whole_notes["rows"])
    if "alpha" in whole_notes:
        assert notes["alpha"] == pytest.approx(whole_notes["alpha"])
        assert notes.get("nonzero") == whole_notes.get("nonzero")


@pytest.mark.parametrize("own", [{"row_sample": 1.0, "column_sample": 1.0}, {"tune": True}])
def test_when_trees_are_boosted_in_parts_then_they_forecast_as_well(own, in_parts, monkeypatch):
    from panelbench.models import trees

    monkeypatch.setattr(trees, "TUNING_TREES", 5)
    monkeypatch.setattr(trees, "PENALTIES", (1.0,))
    whole, whole_notes = fitted("xgboost", trees=20, **own)
    in_parts()
    found, notes = fitted("xgboost", trees=20, **own)

    # The edges of the bins are sketched part by part, so that a split may lie elsewhere in its gap.
    assert np.corrcoef(found.ravel(), whole.ravel())[0, 1] > 0.98
    assert notes.keys() == whole_notes.keys()


def test_when_windows_are_cut_into_parts_then_their_features_are_those_of_the_whole():
    blocks = task(settings("lasso"), panel(series=5, steps=90))
    found = list(parts.by_series(blocks.train, 120))

    assert len(found) > 2
    assert [rows.start for rows, _ in found][1:] == [rows.stop for rows, _ in found][:-1]
    for name in ("lags46", "lags27", "window"):
        tables = [feature_table(part, name) for _, part in found]
        whole = feature_table(blocks.train, name)
        assert all(table.names == whole.names for table in tables)
        np.testing.assert_array_equal(np.concatenate([table.steps[0] for table in tables]), whole.steps[0])


def test_when_a_series_alone_has_more_windows_than_a_part_then_it_is_a_part_of_its_own():
    train = task(settings("lasso"), panel(series=3, steps=90)).train

    assert [len(part) for _, part in parts.by_series(train, 2)] == [len(train) // 3] * 3
