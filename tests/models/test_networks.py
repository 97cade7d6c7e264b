"""Networks: sizes as published, settings that do what they say, devices."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from panelbench.config.settings import Settings
from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.models.errors import Diverged
from tests.models.small import NETWORKS, panel, settings, task


def published(model, **own):
    whole = Settings(panel={}, seeds=(0,), experiments={"it": {"model": model, "epochs": 1, **own}})
    return registry.resolve(whole)["it"]


@pytest.mark.parametrize(
    ("model", "own", "count"),
    [
        ("rnn", {}, 4_545),
        ("lstm", {}, 17_985),
        ("cnn", {}, 8_161),
        ("cnn", {"head": "avgpool"}, 6_945),
        ("cnn", {"head": "maxpool"}, 6_945),
        ("cnn", {"lookback": 13}, 7_329),
        ("cnn", {"lookback": 52}, 9_825),
        ("ffn", {}, 21_761),
        ("transformer", {}, 67_329),
        ("transformer", {"lookback": 52}, 67_329),
        ("transformer", {"positions": "none"}, 67_329),
        ("transformer", {"positions": "learned"}, 67_329 + 26 * 64),
        ("transformer", {"norm": "pre"}, 67_329 + 2 * 64),
    ],
)
def test_when_there_are_four_channels_then_the_number_of_weights_is_the_published_one(model, own, count):
    experiment = published(model, batch_size=512, **own)
    blocks = task(experiment, panel(series=1, steps=100))  # y, one past and two future covariates: four
    forecaster = registry.build(experiment, 0)

    forecaster.fit(blocks.train, None)

    assert forecaster.n_parameters() == count


def fitted(experiment, source=None):
    blocks = task(experiment, source)
    forecaster = registry.build(experiment, 1)
    record = forecaster.fit(blocks.train, blocks.valid)
    return forecaster.predict(blocks.test), record, blocks


@pytest.mark.parametrize(
    "own",
    [
        {"shuffle": False},
        {"clip_norm": None},
        {"clip_norm": 0.01},
        {"weight_decay": 0.5},
        {"learning_rate": 0.01},
        {"batch_size": 16},
        {"epochs": 3},
        {"loss": "mae"},
        {"target": "difference"},
        {"scaling": "series"},
        {"scaling": "window"},
        {"channels": ["y"]},
        {"covariates": "past"},
        {"hidden": 7},
        {"layers": 2},
        {"lookback": 9},
    ],
)
def test_when_a_setting_changes_then_the_forecasts_change(own):
    usual, changed = fitted(settings("rnn"))[0], fitted(settings("rnn", **own))[0]

    assert not np.allclose(usual, changed, rtol=1e-6)


@pytest.mark.parametrize("model", NETWORKS)
def test_when_there_is_something_to_learn_then_the_training_loss_falls(model):
    source = panel(series=2, steps=100)
    source.y[:] = 100 + 10 * np.sin(np.arange(100) / 3) + np.array([[0.0], [50.0]])

    _, record, _ = fitted(settings(model, epochs=15, learning_rate=0.01), source)

    assert record.history[-1].train_loss < 0.5 * record.history[0].train_loss
    assert record.history[-1].valid_rmse < record.history[0].valid_rmse


@pytest.mark.parametrize("scaling", ["global", "series", "window"])
@pytest.mark.parametrize("target", ["level", "difference"])
def test_when_the_panel_is_in_another_unit_then_forecasts_are_in_that_unit(scaling, target):
    experiment = settings("lstm", scaling=scaling, target=target)
    source, larger = panel(), panel()
    larger.y[:] = 1000 * source.y

    np.testing.assert_allclose(fitted(experiment, larger)[0], 1000 * fitted(experiment, source)[0], rtol=2e-3)


def test_when_each_window_is_scaled_by_itself_then_a_shift_in_level_shifts_the_forecast():
    experiment = settings("rnn", scaling="window", channels=["y"], epochs=1)
    source, shifted = panel(series=1), panel(series=1)
    blocks = task(experiment, source)
    forecaster = registry.build(experiment, 0)
    forecaster.fit(blocks.train, None)
    shifted.y[:] = source.y + 5000

    moved = forecaster.predict(task(experiment, shifted).test)

    np.testing.assert_allclose(moved, forecaster.predict(blocks.test) + 5000, rtol=1e-4)


def test_when_the_learning_rate_is_absurd_then_training_stops_as_diverged():
    source = panel()
    experiment = settings("ffn", learning_rate=1e12, clip_norm=None, epochs=30, dropout=0.0)

    with pytest.raises(Diverged, match="training diverged"):
        fitted(experiment, source)


def test_when_a_channel_does_not_exist_then_it_is_named():
    with pytest.raises(InputError, match="'price' is not a channel"):
        fitted(settings("rnn", channels=["y", "price"]))


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_when_a_device_is_asked_for_and_absent_then_the_experiment_and_remedy_are_named(device, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)

    with pytest.raises(InputError, match=rf"device is '{device}' for the experiment 'mine'.*finds only cpu"):
        registry.build(settings("rnn", device=device, label="mine"), 0)


def test_when_the_device_is_auto_then_an_accelerator_is_preferred(monkeypatch):
    from panelbench.models.device import choose_device

    experiment = settings("rnn", device="auto")
    for cuda, mps, expected in [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")]:
        monkeypatch.setattr(torch.cuda, "is_available", lambda cuda=cuda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda mps=mps: mps)
        assert choose_device(experiment).type == expected


def test_when_it_was_not_fitted_then_a_network_says_so():
    with pytest.raises(RuntimeError, match="fit"):
        registry.build(settings("rnn"), 0).n_parameters()


def test_when_a_network_was_trained_then_the_process_still_knows_the_smallest_numbers():
    fitted(settings("rnn"))

    assert np.nextafter(0.0, 1.0) * np.float64(1.0) > 0
