"""Recursive forecasts are audited at their own origins, which the check at one period cannot replace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from panelbench.audit import fitted, recursion
from panelbench.config.settings import Settings, SplitSettings
from panelbench.models import registry
from panelbench.models.recursive import RecursiveForecaster
from tests.helpers.panels import make_panel

SPLIT = SplitSettings(test_steps=20, validation_steps=0)
RECURSIVE = {"horizon": 4, "strategy": "recursive"}


def declared(**experiments):
    return registry.resolve(
        Settings(
            panel={"source": "synthetic"}, seeds=(0,), defaults={"lookback": 8}, experiments=experiments
        )
    )


@pytest.fixture
def panel():
    return make_panel(series=2, steps=90, past=0)


def test_when_a_recursive_forecast_is_sound_then_nothing_moves():
    panel = make_panel(series=2, steps=90, past=0, season=8)  # short, so that every lag is observed
    chosen = declared(
        naive={"model": "seasonal_naive", "season": 5, **RECURSIVE},
        trees={"model": "xgboost", "features": "lags46", **RECURSIVE},
        rnn={"model": "rnn", "hidden": 2, **RECURSIVE},
        direct={"model": "rnn", "hidden": 2, "horizon": 4},
    )
    (check,) = recursion.recursive_forecasts(panel, SPLIT, chosen)
    assert check.passed, check.detail
    assert check.detail.startswith("naive, trees, rnn (fitted briefly)")
    assert check.n == 3 * 3 * 2 * 4  # kinds, origins, series, steps


def test_when_a_roll_out_reads_the_value_that_came_then_the_audit_fails(panel, monkeypatch):
    roll = RecursiveForecaster.predict

    middle = panel.n_steps - SPLIT.test_steps // 2  # where the check of all fitted models cuts

    def teacher_forced(self, windows):
        """Plant: steps after the first read the true value of their own period, before the middle."""
        y = windows.known.y
        found = roll(self, windows)
        at = windows.origin[:, None] + np.arange(1, windows.horizon)
        true = y[windows.series[:, None], np.minimum(at, y.shape[1] - 1)]
        inside = at < min(y.shape[1], middle)
        found[:, 1:] += np.where(inside, 0.001 * true, 0.0)
        return found

    monkeypatch.setattr(RecursiveForecaster, "predict", teacher_forced)
    chosen = declared(rnn={"model": "rnn", "hidden": 2, **RECURSIVE})
    general = {check.id: check.passed for check in fitted.fitted_models(panel, SPLIT, chosen)}
    (check,) = recursion.recursive_forecasts(panel, SPLIT, chosen)
    assert general["fitted_models"], "which is why there is a check of its own"
    assert not check.passed
    assert "(of: rnn)" in check.detail


def test_when_forecasts_depend_on_nothing_then_the_check_does_not_pass(panel, monkeypatch):
    monkeypatch.setattr(
        RecursiveForecaster, "predict", lambda self, windows: np.zeros((len(windows), windows.horizon))
    )
    chosen = declared(last={"model": "last_value", **RECURSIVE})
    (check,) = recursion.recursive_forecasts(panel, SPLIT, chosen)
    assert not check.passed
    assert "proves nothing" in check.detail


@pytest.mark.parametrize("own", [{"model": "lasso", "alpha": 1e6}, {"model": "xgboost", "trees": 2}])
def test_when_a_sound_model_forecasts_one_number_then_what_it_learned_is_the_control(panel, own):
    constant = replace(panel, y=np.full_like(panel.y, 5.0))
    (check,) = recursion.recursive_forecasts(
        constant, SPLIT, declared(one={"features": "window", **own, **RECURSIVE})
    )
    assert check.passed, check.detail


def test_when_nothing_is_recursive_then_there_is_no_such_check(panel):
    assert recursion.recursive_forecasts(panel, SPLIT, declared(last={"model": "last_value"})) == []
