"""Linear networks against their formulas and their closed form."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.models.dlinear import DLinear, WindowLinear, moving_average
from tests.models.small import panel, settings, task


@pytest.mark.parametrize("kernel", [1, 3, 5, 25])
def test_when_a_trend_is_taken_then_it_is_the_centred_mean_with_the_end_values_repeated(kernel):
    x = np.random.default_rng(0).normal(size=(2, 9, 3)).astype(np.float32)
    side = kernel // 2

    found = moving_average(torch.from_numpy(x), kernel).numpy()

    for t in range(9):
        inside = np.clip(np.arange(t - side, t + side + 1), 0, 8)
        np.testing.assert_allclose(found[:, t], x[:, inside].mean(axis=1), rtol=1e-4, atol=1e-6)


def test_when_a_window_is_constant_then_its_trend_is_the_window_and_nothing_remains():
    x = torch.full((2, 9, 1), 7.0)

    torch.testing.assert_close(moving_average(x, 5), x)


def test_when_trend_and_remainder_have_equal_weights_then_dlinear_is_one_linear_layer():
    model, plain = DLinear(9, 2, 3, kernel=5), WindowLinear(9, 2, 3)
    model.remainder.load_state_dict(model.trend.state_dict())
    plain.head.load_state_dict(model.trend.state_dict())
    nn.init.zeros_(model.remainder.bias)
    x = torch.randn(4, 9, 2)

    torch.testing.assert_close(model(x), plain(x))
    assert model(x).shape == (4, 3)


@pytest.mark.parametrize(
    ("model", "own", "count"),
    [
        ("linear", {"channels": ["y"]}, 8 * 3 + 3),
        ("linear", {}, 4 * 8 * 3 + 3),
        ("dlinear", {"channels": ["y"]}, 2 * (8 * 3 + 3)),
        ("dlinear", {}, 2 * (4 * 8 * 3 + 3)),
    ],
)
def test_when_built_then_it_has_a_weight_a_number_of_the_window_and_step(model, own, count):
    experiment = settings(model, horizon=3, **own)
    forecaster = registry.build(experiment, 0)

    forecaster.fit(task(experiment).train, None)

    assert forecaster.n_parameters() == count


@pytest.mark.parametrize("model", ["linear", "dlinear"])
def test_when_trained_long_enough_then_the_forecasts_are_those_of_least_squares(model):
    own = {"epochs": 300, "learning_rate": 0.03, "weight_decay": 0.0, "clip_norm": None, "batch_size": 999}
    network = settings(model, horizon=2, lookback=4, channels=["y"], **own)
    closed = settings("ols", horizon=2, lookback=4, features="window")
    source = panel(past=0)
    source.y[:] = source.y / source.y.mean(axis=1, keepdims=True)
    bare = source.__class__(**{**vars(source), "future": source.future[:, :, :0]})
    bare = bare.__class__(**{**vars(bare), "info": bare.info.model_copy(update={"future": ()})})
    found = []
    for experiment in (network, closed):
        blocks = task(experiment, bare)
        forecaster = registry.build(experiment, 0)
        forecaster.fit(blocks.train, None)
        found.append(forecaster.predict(blocks.test))

    np.testing.assert_allclose(found[0], found[1], atol=2e-3)


def test_when_a_kernel_has_no_centre_then_it_is_refused_with_the_next_one():
    with pytest.raises(InputError, match="odd number of periods; write 5"):
        settings("dlinear", kernel=4)
