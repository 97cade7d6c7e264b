"""Forest and boosting: what they choose and what they report."""

from __future__ import annotations

import numpy as np
import pytest

from panelbench.models import registry, trees
from tests.models.small import settings, task


def fit(experiment, seed=0):
    blocks = task(experiment)
    forecaster = registry.build(experiment, seed)
    return forecaster, forecaster.fit(blocks.train, None), blocks


def test_when_a_forest_is_large_enough_then_the_notes_hold_its_out_of_bag_error():
    _, record, _ = fit(settings("random_forest", trees=60))

    assert record.notes["oob_r2"] < 1
    assert record.notes["oob_rmse"] > 0
    assert record.notes["leaves"] > 60


def test_when_a_forest_is_too_small_for_an_out_of_bag_error_then_none_is_made_up():
    _, record, _ = fit(settings("random_forest", trees=2))

    assert "oob_rmse" not in record.notes


def test_when_leaves_must_be_larger_then_there_are_fewer_of_them():
    _, small, _ = fit(settings("random_forest"))
    _, large, _ = fit(settings("random_forest", min_leaf=10))

    assert large.notes["leaves"] < small.notes["leaves"] / 2


def test_when_the_features_tried_differ_then_so_do_the_forecasts():
    (some, _, blocks), (every, _, _) = (
        fit(settings("random_forest", max_features=kind)) for kind in ("sqrt", "all")
    )

    assert not np.array_equal(some.predict(blocks.test), every.predict(blocks.test))


def test_when_boosting_is_tuned_then_the_choice_comes_from_the_grid_and_is_noted(monkeypatch):
    monkeypatch.setattr(trees, "TUNING_TREES", 8)

    _, record, _ = fit(settings("xgboost", tune=True))

    assert record.notes["eta"] in trees.ETAS
    assert record.notes["depth"] in trees.DEPTHS
    assert record.notes["reg_lambda"] in trees.PENALTIES
    assert record.notes["cv_rmse"] > 0


@pytest.mark.parametrize("own", [{"depth": 1}, {"eta": 0.5}, {"reg_lambda": 50}, {"trees": 9}])
def test_when_a_setting_of_boosting_changes_then_the_forecasts_do(own):
    (usual, _, blocks), (changed, _, _) = fit(settings("xgboost")), fit(settings("xgboost", **own))

    assert not np.array_equal(usual.predict(blocks.test), changed.predict(blocks.test))
