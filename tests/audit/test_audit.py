"""The audit passes on the pipeline as it is, and fails on each leak planted into it."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from panelbench.audit import audit, blocks, checks, fitted, shapes
from panelbench.audit.disturb import disturb
from panelbench.audit.run import run_checks
from panelbench.config.settings import Settings, SplitSettings
from panelbench.data import features, scaling
from panelbench.data.windows import Known
from panelbench.errors import InputError, RunFailure
from panelbench.files import sha256, write_json, write_parquet
from panelbench.models import registry
from tests.helpers.panels import make_panel

SPLIT = SplitSettings(test_steps=20, validation_steps=8)
FULL_KNOWLEDGE = Known.at_end


def experiments(**changes):
    settings = Settings(
        panel={"source": "synthetic"},
        seeds=(0,),
        defaults={"lookback": 8, **changes},
        experiments={
            "last_value": {"model": "last_value"},
            "lasso": {"model": "lasso", "features": "lags27"},
            "forest": {"model": "random_forest", "features": "lags46"},
            "rnn": {"model": "rnn", "hidden": 4},
            "cnn": {"model": "cnn", "scaling": "window"},
        },
    )
    return registry.resolve(settings)


def outcome(found, name):
    return next(check for check in found if check.id == name)


@pytest.fixture
def panel():
    return make_panel(series=3, steps=130)


@pytest.mark.parametrize("covariates", ["ahead", "past"])
def test_when_the_pipeline_is_sound_then_every_check_passes(panel, covariates):
    found = run_checks(panel, SPLIT, experiments(covariates=covariates))
    assert [check.id for check in found] == [
        "training_block", "each_origin", "blocks", "fitted_models", "batch_size", "opened_files",
        "fitted_lasso", "validation_unused",
    ]  # fmt: skip
    assert all(check.passed for check in found), [check.detail for check in found if not check.passed]
    assert all(check.n > 0 for check in found)


def whole_panel_known(panel, end, horizon):
    """Plant: a block keeps the whole panel in reach instead of what its last origin knows."""
    return replace(FULL_KNOWLEDGE(panel, end, horizon), y=panel.y, past=panel.past, future=panel.future)


def test_when_the_scaler_sees_all_data_then_the_audit_fails(panel, monkeypatch):
    def all_data(train, *, by_series):
        return train.values.mean(axis=(0, 1), keepdims=True), train.values.std(axis=(0, 1), keepdims=True)

    monkeypatch.setattr(Known, "at_end", whole_panel_known)
    monkeypatch.setattr(scaling, "_weighted", all_data)
    chosen = shapes.shapes({"rnn": experiments(covariates="past")["rnn"]})
    check = checks.training_block(panel, SPLIT, chosen)
    assert not check.passed
    assert "read by: rnn" in check.detail


def test_when_rolling_statistics_are_not_shifted_then_the_audit_fails(panel, monkeypatch):
    rolling = features._rolling

    def unshifted(y, width):
        return tuple(np.roll(part, -1, axis=1) for part in rolling(y, width))

    monkeypatch.setattr(Known, "at_end", whole_panel_known)
    monkeypatch.setattr(features, "_rolling", unshifted)
    chosen = shapes.shapes({"forest": experiments()["forest"]})
    check = checks.each_origin(panel, SPLIT, chosen)
    assert not check.passed
    assert "forest" in check.detail


def test_when_a_covariate_of_the_target_week_is_read_as_past_then_the_audit_fails(panel, monkeypatch):
    known_groups = features._known_groups

    def ahead(windows, chosen, step):
        return known_groups(replace(windows, covariates="ahead"), chosen, step)

    monkeypatch.setattr(features, "_known_groups", ahead)
    chosen = shapes.shapes({"lasso": experiments(covariates="past")["lasso"]})
    assert not checks.each_origin(panel, SPLIT, chosen).passed


def test_when_the_split_is_random_then_the_audit_fails(panel, monkeypatch):
    build = blocks.build_task

    def shuffled(panel, split, settings):
        task = build(panel, split, settings)
        scored = replace(task.test, y=task.truth)
        pool = np.random.default_rng(0).permutation(len(task.train))
        borrowed = replace(task.train, known=scored.known).take(pool[: len(pool) // 2])
        swapped = replace(
            borrowed,
            series=np.concatenate([borrowed.series, scored.series[:5]]),
            origin=np.concatenate([borrowed.origin, scored.origin[:5]]),
            y=np.concatenate([borrowed.y, scored.y[:5]]),
        )
        return replace(task, train=swapped)

    monkeypatch.setattr(blocks, "build_task", shuffled)
    check = blocks.blocks(panel, SPLIT, shapes.shapes({"rnn": experiments()["rnn"]}))
    assert not check.passed
    assert "training target lies on or after" in check.detail


def test_when_the_last_batch_is_dropped_then_the_audit_fails(panel, monkeypatch):
    from panelbench.models.network import NetworkForecaster

    predict = NetworkForecaster.predict

    def drop_last(self, windows):
        whole = len(windows) // 16 * 16
        return predict(self, windows.take(slice(0, whole)))

    monkeypatch.setattr(NetworkForecaster, "predict", drop_last)
    found = fitted.fitted_models(panel, SPLIT, {"rnn": experiments()["rnn"]})
    assert not outcome(found, "batch_size").passed


def test_when_forecasts_depend_on_their_batch_then_the_audit_fails(panel, monkeypatch):
    from panelbench.models.network import NetworkForecaster

    predict = NetworkForecaster.predict
    monkeypatch.setattr(
        NetworkForecaster, "predict", lambda self, windows: predict(self, windows) * (1 + 1 / len(windows))
    )
    found = fitted.fitted_models(panel, SPLIT, {"rnn": experiments()["rnn"]})
    assert not outcome(found, "batch_size").passed
    assert "the RMSE is" in outcome(found, "batch_size").detail


def test_when_the_lasso_trains_on_the_test_block_then_the_audit_fails(panel, monkeypatch):
    build = fitted.build_task

    def greedy(panel, split, settings):
        task = build(panel, split, settings)
        return replace(task, train=replace(task.test, y=task.truth))

    monkeypatch.setattr(fitted, "build_task", greedy)
    assert not outcome(
        fitted.fitted_linear(panel, SPLIT, {"lasso": experiments()["lasso"]}), "fitted_lasso"
    ).passed


def test_when_a_forecast_reads_the_future_then_the_audit_fails(panel, monkeypatch):
    from panelbench.models.network import NetworkForecaster

    predict = NetworkForecaster.predict
    monkeypatch.setattr(
        NetworkForecaster,
        "predict",
        lambda self, windows: predict(self, windows) + windows.known.y.mean(),
    )
    found = fitted.fitted_models(panel, SPLIT, {"rnn": experiments()["rnn"]})
    assert not outcome(found, "fitted_models").passed


def test_when_nothing_could_move_then_the_check_does_not_pass(panel, monkeypatch):
    monkeypatch.setattr(checks, "disturb", lambda panel, **_: panel)
    check = checks.each_origin(panel, SPLIT, shapes.shapes({"rnn": experiments()["rnn"]}))
    assert not check.passed
    assert "proves nothing" in check.detail


def test_when_a_panel_is_disturbed_then_only_the_named_periods_change(panel):
    changed = disturb(panel, y_from=100, past_from=90, future_from=110)
    np.testing.assert_array_equal(changed.y[:, :100], panel.y[:, :100])
    np.testing.assert_array_equal(changed.past[:, :90], panel.past[:, :90])
    np.testing.assert_array_equal(changed.future[:, :110], panel.future[:, :110])
    assert (changed.y[:, 100:] > panel.y.max()).all()
    assert (changed.past[:, 90:] != panel.past[:, 90:]).all()
    assert (changed.future[:, 110:] != panel.future[:, 110:]).all()


def written(panel, root):
    write_parquet(root / "data/panel.parquet", panel.to_frame())
    info = panel.info.model_copy(update={"sha256": sha256(root / "data/panel.parquet")})
    write_json(root / "data/panel.json", info.model_dump(mode="json"))
    return Settings(
        panel={"source": "synthetic"},
        seeds=(0,),
        split=SPLIT,
        defaults={"lookback": 8},
        experiments={"lasso": {"model": "lasso", "features": "lags27"}},
    )


def test_when_the_audit_runs_then_its_outcomes_are_written(panel, tmp_path):
    settings = written(panel, tmp_path)
    audit(settings, tmp_path)
    first = (tmp_path / "reports/audit.json").read_bytes()
    audit(settings, tmp_path)
    assert (tmp_path / "reports/audit.json").read_bytes() == first
    assert json.loads(first)["passed"] is True


def test_when_a_check_fails_then_the_outcome_is_written_and_the_run_stops(panel, tmp_path, monkeypatch):
    settings = written(panel, tmp_path)
    known_groups = features._known_groups
    monkeypatch.setattr(
        features,
        "_known_groups",
        lambda windows, chosen, step: known_groups(replace(windows, covariates="ahead"), chosen, step),
    )
    leaky = settings.model_copy(update={"defaults": {"lookback": 8, "covariates": "past"}})
    with pytest.raises(RunFailure, match="nothing is trained"):
        audit(leaky, tmp_path)
    assert json.loads((tmp_path / "reports/audit.json").read_text())["passed"] is False


def test_when_the_panel_is_too_short_then_the_experiment_is_named_before_anything_runs(panel, tmp_path):
    settings = written(panel, tmp_path)
    long = settings.model_copy(update={"defaults": {"lookback": 110}})
    with pytest.raises(InputError, match=r"experiments\.lasso needs at least 139"):
        audit(long, tmp_path)
    assert not (tmp_path / "reports/audit.json").exists()


def test_when_there_is_no_validation_block_then_the_lasso_is_still_compared(panel):
    split = SplitSettings(test_steps=20, validation_steps=0)
    (check,) = fitted.fitted_linear(panel, split, {"lasso": experiments()["lasso"]})
    assert check.passed
    assert check.n == panel.n_series
