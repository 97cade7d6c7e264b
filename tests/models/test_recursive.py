"""Recursive forecasts: one step ahead, again and again, from what was known at the origin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from panelbench.config.settings import Settings
from panelbench.data import Windows, feature_table
from panelbench.errors import InputError
from panelbench.models import recursive, registry
from panelbench.models.base import Attends
from panelbench.models.errors import Diverged
from panelbench.panel import Panel
from tests.models.small import panel, settings, task

KINDS = [
    ("seasonal_naive", {"season": 3}),
    ("ols", {"features": "window"}),
    ("ridge", {"features": "lags46"}),
    ("xgboost", {"features": "lags27"}),
    ("lstm", {"scaling": "series"}),
    ("rnn", {"scaling": "window", "target": "difference"}),
    ("transformer", {}),
    ("transformer_decoder", {"target": "difference"}),
]
"""Every way to read the panel: target only, window, features with and without rolling ones, each scaling."""


def fitted(model, source: Panel | None = None, horizon: int = 3, **own):
    strategy = {} if model == "transformer_decoder" else {"strategy": "recursive"}
    experiment = settings(model, horizon=horizon, **strategy, **own)
    blocks = task(experiment, source if source is not None else panel(past=0))
    forecaster = registry.build(experiment, 0)
    forecaster.fit(blocks.train, blocks.valid)
    return forecaster, blocks.test


def after(windows: Windows, origin: int, value: float | None) -> Windows:
    """The same windows where every target after a period is another one, or not there at all."""
    y = windows.known.y.copy()
    y[:, origin + 1 :] = value if value is not None else np.nan
    return replace(windows, known=replace(windows.known, y=y))


@pytest.mark.parametrize(("model", "own"), KINDS)
def test_when_true_values_after_an_origin_change_or_are_missing_then_its_forecasts_do_not_move(model, own):
    forecaster, test = fitted(model, **own)

    for origin in np.unique(test.origin):
        rows = test.take(test.origin == origin)
        expected = forecaster.predict(rows)
        for value in (1e9, None):
            assert np.array_equal(forecaster.predict(after(rows, origin, value)), expected)
    moved = forecaster.predict(after(rows, origin - 1, 1e3))
    assert (moved != expected).any(axis=1).all()  # the origin's own value is read


@pytest.mark.parametrize(("model", "own"), KINDS)
def test_when_one_step_is_forecast_then_it_is_the_one_step_models(model, own):
    forecaster, test = fitted(model, **own)

    one_step = forecaster.model.predict(recursive.first_step(test))

    assert one_step.shape == (len(test), 1)
    np.testing.assert_allclose(forecaster.predict(test)[:, :1], one_step, rtol=1e-6)


def fed_back(forecaster, test: Windows, source: Panel) -> np.ndarray:
    """The definition, in its slowest form: one origin at a time, on a panel that ends with it."""
    found = np.empty((len(test), test.horizon))
    for origin in np.unique(test.origin):
        rows = np.flatnonzero(test.origin == origin)
        y = source.y[:, : origin + 1]
        for step in range(test.horizon):
            end = origin + 1 + step
            known = replace(test.known, y=y, past=source.past[:, :end], future=source.future[:, : end + 1],
                            dates=source.dates[: end + 1])  # fmt: skip
            series = test.series[rows]
            one = Windows(known, series, np.full(len(rows), end - 1), test.lookback, 1, test.covariates, None)
            found[rows, step] = forecaster.model.predict(one)[:, 0]
            column = np.full((len(source.y), 1), 1.0)
            column[series, 0] = found[rows, step]
            y = np.concatenate([y, column], axis=1)
    return found


@pytest.mark.parametrize(("model", "own"), KINDS)
def test_when_forecasts_are_fed_back_then_they_are_those_of_a_panel_that_grows_by_them(model, own):
    source = panel(past=0)
    forecaster, test = fitted(model, source, **own)

    np.testing.assert_allclose(forecaster.predict(test), fed_back(forecaster, test, source), rtol=1e-5)


def means(windows: Windows, y: np.ndarray) -> np.ndarray:
    ends = zip(windows.series, windows.origin, strict=True)
    return np.array([y[series, : origin + 1].mean() for series, origin in ends])


def test_when_history_has_no_known_end_then_a_model_reads_all_of_it_up_to_its_origin():
    class Mean:
        """Forecasts the mean of everything observed, which no lookback bounds."""

        deterministic = True

        def predict(self, windows):
            return means(windows, windows.known.y)[:, None]

    unspecific = registry.ExperimentSettings(model="mean", lookback=8, horizon=2, strategy="recursive")
    test = task(unspecific).test

    found = recursive.roll_out(unspecific, Mean()).predict(test)

    # A mean that is appended to its own values leaves it as it is.
    np.testing.assert_allclose(found, np.tile(means(test, panel(past=0).y)[:, None], 2))


@pytest.mark.parametrize("model", ["seasonal_naive", "last_value"])
def test_when_a_model_repeats_what_was_observed_then_direct_and_recursive_agree(model):
    direct = settings(model, horizon=6)
    blocks = task(direct, panel(past=0))
    forecaster = registry.build(direct, 0)
    forecaster.fit(blocks.train, None)

    found, test = fitted(model, horizon=6)

    assert np.array_equal(found.predict(test), forecaster.predict(blocks.test))


def test_when_excerpts_are_cut_in_small_parts_then_forecasts_are_the_same(monkeypatch):
    forecaster, test = fitted("ridge")
    expected = forecaster.predict(test)
    monkeypatch.setattr(recursive, "CELLS", 1)

    np.testing.assert_allclose(forecaster.predict(test), expected, rtol=1e-12)


def test_when_trained_then_windows_are_those_of_a_direct_model_and_targets_their_first():
    train = task(settings("rnn", horizon=3), panel(past=0)).train

    one = recursive.first_step(train)

    assert np.array_equal(one.y, train.y[:, :1])
    assert (one.horizon, len(one)) == (1, len(train))
    ahead = train.known.future[:, 1 : train.known.y.shape[1] + 1]
    assert np.array_equal(one.inputs()[:, -1, 1:], ahead[one.series, one.origin].astype("f4"))


@pytest.mark.parametrize(
    ("model", "own", "columns", "remedy"),
    [
        ("rnn", {}, "past_0", r"`strategy: direct` or `channels: \[y, ...\]`"),
        ("rnn", {"covariates": "past", "channels": ["y", "promo"]}, "promo", r"or `covariates: ahead`"),
        ("lasso", {}, "past_0", "Use `strategy: direct`, or leave"),
        ("lasso", {"covariates": "past"}, "past_0, promo, holiday", "Use `strategy: direct`, or leave"),
        ("transformer_decoder", {}, "past_0", r"Use `channels: \[y, ...\]` without them, or leave"),
    ],
)
def test_when_values_after_the_origin_would_be_needed_then_the_columns_and_a_remedy_are_named(
    model, own, columns, remedy
):
    with pytest.raises(InputError, match=rf"reads {columns}, whose.*{remedy}"):
        fitted(model, panel(past=1), **own)


@pytest.mark.parametrize(("model", "own"), [("rnn", {"channels": ["promo", "y"]}), ("last_value", {})])
def test_when_such_columns_are_not_read_then_the_panel_may_have_them(model, own):
    forecaster, test = fitted(model, panel(past=1), **own)
    without, same = fitted(model, panel(past=1), **own)
    without = without.predict(replace(same, known=replace(same.known, past=same.known.past * np.nan)))

    assert np.array_equal(forecaster.predict(test), without)


def test_when_the_fed_back_forecasts_explode_then_the_run_diverged():
    class Doubling:
        deterministic = True

        def predict(self, windows):
            return windows.history(1) ** 60

    experiment = settings("last_value", horizon=6, strategy="recursive")
    test = task(experiment).test

    with np.errstate(over="ignore"), pytest.raises(Diverged, match="grow without bound"):
        recursive.roll_out(experiment, Doubling()).predict(test)


def test_when_a_model_can_be_looked_into_then_its_first_step_is_shown():
    forecaster, test = fitted("transformer")

    assert isinstance(forecaster, Attends)
    assert not isinstance(fitted("rnn")[0], Attends)
    assert np.array_equal(forecaster.attention(test), forecaster.model.attention(recursive.first_step(test)))


@pytest.mark.parametrize(
    ("own", "mode"),
    [
        ({"model": "rnn"}, "rolling"),
        ({"model": "rnn", "strategy": "recursive"}, "rolling"),
        ({"model": "rnn", "horizon": 2}, "direct"),
        ({"model": "rnn", "horizon": 2, "strategy": "recursive"}, "recursive"),
        ({"model": "transformer_decoder"}, "rolling"),
        ({"model": "transformer_decoder", "horizon": 2}, "recursive"),
        ({"model": "transformer_encoder_decoder", "horizon": 2}, "recursive"),
    ],
)
def test_when_an_experiment_is_declared_then_it_knows_how_its_forecasts_are_made(own, mode):
    whole = Settings(panel={}, seeds=(0,), defaults={"strategy": "direct"}, experiments={"it": own})
    experiment = registry.resolve(whole)["it"]

    assert experiment.mode == mode


def test_when_a_design_generates_recursively_then_another_strategy_is_refused():
    with pytest.raises(InputError, match="strategy"):
        settings("transformer_decoder", strategy="direct")


def test_when_a_window_split_would_leak_nothing_then_it_is_refused():
    with pytest.raises(InputError, match="one period is learned at a time"):
        settings("rnn", horizon=3, strategy="recursive", boundary="windows")
    assert settings("transformer_encoder_decoder", horizon=3, boundary="windows", validation_steps=0).leaks


def test_when_calendar_features_are_read_then_they_are_those_of_the_period_forecast():
    experiment = settings("ols", features="lags27", horizon=4, strategy="recursive")
    blocks = task(experiment, panel(steps=70, past=0))

    class Week:
        """Returns a calendar column as its forecast."""

        deterministic = True

        def predict(self, windows):
            table = feature_table(windows, "lags27")
            return table.steps[0][:, [table.names.index("week_of_year")]]

    found = recursive.roll_out(experiment, Week()).predict(blocks.test)

    weeks = pd.DatetimeIndex(blocks.test.target_dates().ravel()).isocalendar().week.to_numpy()
    assert np.array_equal(found.ravel(), weeks)
