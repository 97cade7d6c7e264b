"""Leaks that the author of a model or a feature could plant without meaning to; each fails the audit."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from panelbench.audit import brief, checks, fitted, shapes
from panelbench.audit.run import run_checks
from panelbench.config.settings import SplitSettings
from panelbench.data import Scaler, features
from panelbench.models import loop, network
from panelbench.models.naive import SeasonalNaive
from panelbench.models.network import NetworkForecaster
from panelbench.models.tabular import TabularForecaster
from tests.helpers.audited import SPLIT, declared, failed
from tests.helpers.panels import make_panel

FIRST_HELD_OUT = 130 - 20 - 8


@pytest.fixture
def panel():
    return make_panel(series=3, steps=130)


def appended(columns_of):
    """Return a replacement of `_history_columns` with one more column."""
    original = features._history_columns

    def with_one_more(windows, chosen):
        names, columns = original(windows, chosen)
        return [*names, "planted"], [*columns, columns_of(windows)]

    return with_one_more


def series_mean_of_training(windows):
    """Plant: a series' mean over the whole training block, its own target and later ones included."""
    return windows.known.y[:, :FIRST_HELD_OUT].mean(axis=1)[windows.series]


def mean_of_target_week(windows):
    """Plant: the mean over series of the very week to be forecast, where it is in the training block."""
    mean = windows.known.y[:, :FIRST_HELD_OUT].mean(axis=0)
    return mean[np.minimum(windows.origin + 1, len(mean) - 1)]


@pytest.mark.parametrize("column", [series_mean_of_training, mean_of_target_week])
def test_when_a_training_row_holds_its_own_target_then_the_audit_fails(panel, monkeypatch, column):
    monkeypatch.setattr(features, "_history_columns", appended(column))
    chosen = shapes.shapes(declared(forest={"model": "random_forest"}))
    check = checks.each_origin(panel, SPLIT, chosen)
    assert not check.passed
    assert "forest" in check.detail


def test_when_a_windows_inputs_are_scaled_by_the_next_week_then_the_audit_fails(panel, monkeypatch):
    inputs = Scaler.inputs

    def one_later(self, windows):
        centre, spread = inputs(self, windows)
        return (np.roll(centre, -1, axis=1), spread) if self.scaling == "window" else (centre, spread)

    monkeypatch.setattr(Scaler, "inputs", one_later)
    # The first network of a kind is fitted in the audit; the leak is in the second one.
    chosen = declared(rnn={"model": "rnn"}, rnn_by_window={"model": "rnn", "scaling": "window"})
    check = checks.each_origin(panel, SPLIT, shapes.shapes(chosen))
    assert not check.passed
    assert "rnn_by_window" in check.detail


def adds_block_mean(predict):
    return lambda self, windows: predict(self, windows) + 0.001 * windows.known.y.mean()


def next_value(self, windows):
    y = windows.known.y
    return y[windows.series, np.minimum(windows.origin + 1, y.shape[1] - 1)][:, None]


@pytest.mark.parametrize(
    ("kind", "settings", "planted"),
    [
        (TabularForecaster, {"model": "ols"}, adds_block_mean(TabularForecaster.predict)),
        (TabularForecaster, {"model": "xgboost"}, next_value),
        (SeasonalNaive, {"model": "last_value"}, next_value),
    ],
)
def test_when_any_model_reads_past_its_origin_then_the_audit_fails(
    panel, monkeypatch, kind, settings, planted
):
    monkeypatch.setattr(kind, "predict", planted)
    assert "fitted_models" in failed(fitted.fitted_models(panel, SPLIT, declared(model=settings)))


def test_when_a_tabular_model_standardises_what_it_forecasts_then_the_audit_fails(panel, monkeypatch):
    predict = TabularForecaster.predict

    def standardised(self, windows):
        found = predict(self, windows)
        return found + 0.01 * (found - found.mean())

    monkeypatch.setattr(TabularForecaster, "predict", standardised)
    assert "batch_size" in failed(fitted.fitted_models(panel, SPLIT, declared(ols={"model": "ols"})))


def joined(train, valid):
    return replace(
        train,
        known=valid.known,
        series=np.concatenate([train.series, valid.series]),
        origin=np.concatenate([train.origin, valid.origin]),
        y=np.concatenate([train.y, valid.y]),
    )


@pytest.mark.parametrize(
    ("kind", "model"), [(NetworkForecaster, "rnn"), (TabularForecaster, "random_forest")]
)
def test_when_a_model_trains_on_the_validation_block_then_the_audit_fails(panel, monkeypatch, kind, model):
    fit = kind.fit
    monkeypatch.setattr(
        kind, "fit", lambda self, train, valid: fit(self, joined(train, valid) if valid else train, valid)
    )
    found = fitted.validation_unused(panel, SPLIT, declared(one={"model": model}))
    assert failed(found) == {"validation_unused"}
    assert "(of: one)" in found[0].detail


def test_when_a_network_keeps_its_best_epoch_on_the_validation_block_then_the_audit_fails(panel, monkeypatch):
    train_network, evaluate = network.train_network, loop.evaluate

    def keeping_best(module, train, valid, *rest):
        best = {"loss": np.inf, "weights": None}

        def watched(module, block, settings):
            total = evaluate(module, block, settings)
            if float(total.loss) < best["loss"]:
                best.update(loss=float(total.loss), weights=copy.deepcopy(module.state_dict()))
            return total

        monkeypatch.setattr(loop, "evaluate", watched)
        history = train_network(module, train, valid, *rest)
        if best["weights"] is not None:
            module.load_state_dict(best["weights"])
        return history

    monkeypatch.setattr(network, "train_network", keeping_best)
    chosen = declared(rnn={"model": "rnn"})
    assert failed(fitted.validation_unused(panel, SPLIT, chosen)) == {"validation_unused"}


def test_when_a_network_scales_by_what_was_observed_while_validating_then_the_audit_fails(panel, monkeypatch):
    fit, scaled = NetworkForecaster.fit, NetworkForecaster._fit_scaler
    later = {}

    def remembering(self, train, valid):
        later["y"] = valid.known.y if valid else train.known.y
        return fit(self, train, valid)

    monkeypatch.setattr(NetworkForecaster, "fit", remembering)
    monkeypatch.setattr(
        NetworkForecaster,
        "_fit_scaler",
        lambda self, train: replace(scaled(self, train), y_mean=later["y"].mean(keepdims=True)[0]),
    )
    found = fitted.validation_unused(panel, SPLIT, declared(rnn={"model": "rnn", "hidden": 2}))
    assert failed(found) == {"validation_unused"}


def test_when_a_model_forecasts_from_a_cache_of_true_values_then_the_audit_fails(panel, monkeypatch):
    cut, cache = fitted.brief.build_task, {}

    def caching(panel, split, settings):
        cache.setdefault("y", panel.y)
        return cut(panel, split, settings)

    monkeypatch.setattr(fitted.brief, "build_task", caching)
    monkeypatch.setattr(
        NetworkForecaster,
        "predict",
        lambda self, windows: cache["y"][windows.series, windows.origin + 1][:, None],
    )
    found = fitted.fitted_models(panel, SPLIT, declared(rnn={"model": "rnn", "hidden": 2}))
    assert failed(found) == {"fitted_models"}
    assert "rnn moved with nothing at all" in found[0].detail


def test_when_features_leak_then_that_is_reported_and_no_model_is_fitted(panel, monkeypatch):
    rolling = features._rolling
    monkeypatch.setattr(
        features, "_rolling", lambda y, width: tuple(np.roll(part, -1, axis=1) for part in rolling(y, width))
    )
    found = run_checks(panel, SPLIT, declared(forest={"model": "xgboost"}))
    assert failed(found) == {"each_origin"}
    assert [check.id for check in found] == ["training_block", "each_origin", "blocks"]


def test_when_a_short_panel_has_no_lasso_declared_then_none_is_fitted():
    short = make_panel(series=2, steps=50)
    split = SplitSettings(test_steps=6, validation_steps=3)
    found = run_checks(short, split, declared(last={"model": "last_value"}, rnn={"model": "rnn"}))
    assert not failed(found)
    assert "fitted_lasso" not in {check.id for check in found}


def test_when_a_kind_is_declared_twice_then_its_first_experiment_is_fitted():
    chosen = declared(
        a={"model": "rnn"},
        b={"model": "rnn", "hidden": 4},
        c={"model": "last_value"},
        d={"model": "cnn"},
        e={"model": "cnn", "head": "avgpool"},
    )
    assert list(brief.kinds(chosen)) == ["a", "c", "d", "e"]


def test_when_settings_are_shortened_then_nothing_is_tuned_and_little_is_grown():
    chosen = declared(
        boosted={"model": "xgboost", "tune": True},
        lasso={"model": "lasso"},
        rnn={"model": "rnn", "epochs": 9},
    )
    short = {name: brief.shorten(one) for name, one in chosen.items()}
    assert (short["boosted"].tune, short["boosted"].trees) == (False, brief.TREES)
    assert short["lasso"].alpha == 1.0
    assert short["rnn"].epochs == 1


def test_when_the_panel_is_hourly_then_no_check_speaks_of_weeks(panel):
    hourly = replace(
        panel,
        info=panel.info.model_copy(update={"frequency": "h", "season": 24}),
        dates=np.datetime64("2024-01-01T00", "ns") + np.arange(130) * np.timedelta64(1, "h"),
    )
    chosen = declared(lasso={"model": "lasso", "features": "window"}, rnn={"model": "rnn", "hidden": 2})
    found = run_checks(hourly, SPLIT, chosen)
    assert not failed(found)
    texts = " ".join(" ".join((one.title, one.disturbed, one.must_hold, one.detail)) for one in found)
    assert "week" not in texts
    assert "hour" in texts
