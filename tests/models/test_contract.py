"""What every registered model must do, whatever it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from panelbench.data import Windows
from panelbench.errors import InputError
from panelbench.models import registry
from tests.models.small import NETWORKS, panel, settings, task

MODELS = sorted(registry.MODELS)
FED_BACK = [model for model in MODELS if "strategy" not in registry.MODELS[model].settings.decided]
CASES = [(model, {"horizon": horizon}) for model in MODELS for horizon in (1, 3)]
CASES += [(model, {"horizon": 3, "strategy": "recursive"}) for model in FED_BACK]
STEPS = [case for case in CASES if case[1]["horizon"] > 1]


def forecasts(model: str, seed: int = 3, horizon: int = 1, **own):
    experiment = settings(model, horizon=horizon, **own)
    blocks = task(experiment)
    forecaster = registry.build(experiment, seed)
    forecaster.fit(blocks.train, blocks.valid)
    return forecaster.predict(blocks.test)


def with_y(windows: Windows, y: np.ndarray) -> Windows:
    return replace(windows, known=replace(windows.known, y=y))


@pytest.mark.parametrize(("model", "own"), CASES)
def test_when_fitted_then_predicts_one_finite_number_a_window_and_step(model, own):
    experiment = settings(model, **own)
    blocks = task(experiment)
    forecaster = registry.build(experiment, 0)

    record = forecaster.fit(blocks.train, blocks.valid)
    predicted = forecaster.predict(blocks.test)

    assert predicted.shape == blocks.truth.shape == (len(blocks.test), own["horizon"])
    assert predicted.dtype == np.float64
    assert np.isfinite(predicted).all()
    assert len(record.history) == (2 if model in NETWORKS else 0)
    assert all(isinstance(value, int | float | str | bool) for value in record.notes.values())
    count = forecaster.n_parameters()
    assert count is None if model in ("xgboost", "random_forest") else count >= 0


@pytest.mark.parametrize(("model", "own"), STEPS)
def test_when_the_seed_is_the_same_then_forecasts_are_the_same_bytes(model, own):
    assert forecasts(model, **own).tobytes() == forecasts(model, **own).tobytes()


@pytest.mark.parametrize("model", MODELS)
def test_when_the_seed_differs_then_forecasts_differ_unless_declared_deterministic(model):
    same = forecasts(model, seed=1).tobytes() == forecasts(model, seed=2).tobytes()

    assert same == settings(model).deterministic
    assert registry.build(settings(model), 0).deterministic == settings(model).deterministic


def test_when_boosting_samples_nothing_then_it_is_deterministic_and_says_so():
    whole = {"row_sample": 1, "column_sample": 1}

    assert settings("xgboost", **whole).deterministic
    assert forecasts("xgboost", seed=1, **whole).tobytes() == forecasts("xgboost", seed=2, **whole).tobytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("model", MODELS)
def test_when_a_training_value_is_not_finite_then_it_is_named(model, bad):
    experiment = settings(model)
    train = task(experiment).train
    y = train.known.y.copy()
    y[1, 4] = bad

    with pytest.raises(
        InputError, match=r"'y' has 1 values that are not finite.* series number 1 at 2019-02-04"
    ):
        registry.build(experiment, 0).fit(with_y(train, y), None)


@pytest.mark.parametrize("bad", [np.nan, -np.inf])
@pytest.mark.parametrize(("model", "own"), STEPS)
def test_when_an_observed_value_is_not_finite_then_it_is_not_forecast_from(model, own, bad):
    experiment = settings(model, **own)
    blocks = task(experiment)
    forecaster = registry.build(experiment, 0)
    forecaster.fit(blocks.train, None)
    last = blocks.test.take(blocks.test.origin == blocks.test.origin.max())
    y = last.known.y.copy()
    y[2, -1] = bad

    with pytest.raises(InputError, match=r"'y' has 1 values that are not finite.* series number 2 at 2020-"):
        forecaster.predict(with_y(last, y))


@pytest.mark.parametrize(("model", "own"), STEPS)
def test_when_windows_have_another_shape_than_the_training_ones_then_both_shapes_are_named(model, own):
    experiment = settings(model, **own)
    forecaster = registry.build(experiment, 0)
    forecaster.fit(task(experiment).train, None)
    longer = task(settings(model, **own, lookback=9)).test
    other = task(settings(model, **{**own, "horizon": 2})).test
    unknown = replace(longer, lookback=8, covariates="past")
    unknown = replace(unknown, known=replace(
        unknown.known, info=unknown.known.info.model_copy(update={"future": ()}),
        future=unknown.known.future[:, :, :0],
    ))  # fmt: skip

    for windows, found in ((longer, "lookback 9"), (other, "horizon 2"), (unknown, "channels y")):
        with pytest.raises(ValueError, match=rf"fitted on windows of lookback 8, horizon 3.*have .*{found}"):
            forecaster.predict(windows)


@pytest.mark.parametrize(("model", "own"), STEPS)
def test_when_fitting_and_predicting_then_the_input_is_left_alone(model, own):
    experiment = settings(model, **own)
    blocks = task(experiment)
    kept = [(block, block.known.y.copy(), block.known.future.copy(), block.values.copy())
            for block in (blocks.train, blocks.valid, blocks.test)]  # fmt: skip
    forecaster = registry.build(experiment, 0)

    forecaster.fit(blocks.train, blocks.valid)
    forecaster.predict(blocks.test)

    for block, y, future, values in kept:
        assert np.array_equal(block.known.y, y)
        assert np.array_equal(block.known.future, future)
        assert np.array_equal(block.values, values)


@pytest.mark.parametrize(("model", "own"), STEPS)
def test_when_windows_are_forecast_one_by_one_or_in_another_order_then_nothing_changes(model, own):
    experiment = settings(model, **own)
    blocks = task(experiment)
    forecaster = registry.build(experiment, 0)
    forecaster.fit(blocks.train, blocks.valid)
    together = forecaster.predict(blocks.test)
    backwards = np.arange(len(blocks.test))[::-1]

    alone = np.concatenate([forecaster.predict(blocks.test.take(slice(row, row + 1))) for row in range(5)])
    reordered = forecaster.predict(blocks.test.take(backwards))

    np.testing.assert_allclose(alone, together[:5], rtol=1e-4)
    np.testing.assert_allclose(reordered[backwards], together, rtol=1e-4)


@pytest.mark.parametrize(("model", "own"), STEPS)
def test_when_there_is_one_series_then_it_is_fitted(model, own):
    experiment = settings(model, **own)
    blocks = task(experiment, panel(series=1, past=0))
    forecaster = registry.build(experiment, 0)

    forecaster.fit(blocks.train, blocks.valid)

    assert np.isfinite(forecaster.predict(blocks.test)).all()


@pytest.mark.parametrize(
    ("model", "own"),
    [(model, {}) for model in MODELS]
    + [(model, {"scaling": scaling}) for model in NETWORKS for scaling in ("series", "window")],
)
def test_when_a_series_is_constant_then_forecasts_stay_finite(model, own):
    experiment = settings(model, **own)
    source = panel()
    source.y[1] = 7.0
    blocks = task(experiment, source)
    forecaster = registry.build(experiment, 0)

    forecaster.fit(blocks.train, blocks.valid)

    assert np.isfinite(forecaster.predict(blocks.test)).all()


@pytest.mark.parametrize("model", MODELS)
def test_when_there_is_no_validation_block_then_training_is_the_same(model):
    experiment = settings(model)
    blocks = task(experiment)
    with_block, without = registry.build(experiment, 0), registry.build(experiment, 0)

    with_block.fit(blocks.train, blocks.valid)
    without.fit(blocks.train, None)

    assert np.array_equal(with_block.predict(blocks.test), without.predict(blocks.test))
