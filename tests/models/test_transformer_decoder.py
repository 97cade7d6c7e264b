"""The decoder-only Transformer: a next value at every position."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from panelbench.models import registry
from panelbench.models.design_settings import TransformerDecoderSettings
from panelbench.models.transformer.decoder import TransformerDecoder
from tests.models.small import settings, task

SMALL = {"lookback": 10, "width": 16, "heads": 2, "feed_forward": 24, "dropout": 0.0}
POSITIONS = ["sinusoidal", "learned", "none", "rotary", "alibi"]


def decoder(**own) -> TransformerDecoder:
    torch.manual_seed(0)
    return TransformerDecoder(TransformerDecoderSettings(model="d", **{**SMALL, **own}), 3)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("positions", POSITIONS)
def test_when_a_decoder_forecasts_then_it_is_its_last_positions_next_value(positions, norm):
    model = decoder(positions=positions, norm=norm)
    x, y = torch.randn(5, 10, 3), torch.randn(5, 1)

    forecasts, following = model.supervised(x, y)

    assert forecasts.shape == following.shape == (5, 10)
    torch.testing.assert_close(model(x), forecasts[:, -1:])
    assert torch.equal(following, torch.cat([x[:, 1:, 0], y], dim=1))


def test_when_the_target_is_a_change_then_so_are_the_next_values_of_the_right_channel():
    model = decoder(target="difference", channels=("a", "b", "y"))
    x, y = torch.randn(5, 10, 3), torch.randn(5, 1)

    assert torch.equal(model.supervised(x, y)[1], torch.cat([x[:, 1:, 2] - x[:, :-1, 2], y], dim=1))


@pytest.mark.parametrize("positions", POSITIONS)
def test_when_later_periods_change_then_a_decoders_earlier_next_values_do_not(positions):
    model = decoder(positions=positions)
    x, y = torch.randn(5, 10, 3), torch.randn(5, 1)
    before = model.supervised(x, y)[0]
    x[:, 6:] += 100

    after = model.supervised(x, y)[0]

    assert torch.equal(before[:, :6], after[:, :6])
    assert (before[:, 6:] != after[:, 6:]).all()


def test_when_only_the_last_position_is_supervised_then_the_loss_is_that_of_the_forecast():
    model = decoder(supervise="last")
    x, y = torch.randn(5, 10, 3), torch.randn(5, 1)

    forecasts, wanted = model.supervised(x, y)

    assert torch.equal(forecasts, model(x))
    assert wanted is y


@pytest.mark.parametrize("scaling", ["global", "series", "window", "none"])
@pytest.mark.parametrize("target", ["level", "difference"])
def test_when_a_decoder_is_scaled_then_target_and_inputs_share_their_scale(scaling, target):
    """The target of a window is what the next window of the same series has as its last input."""
    experiment = settings("transformer_decoder", scaling=scaling, target=target)
    train = task(experiment).train
    forecaster = registry.build(experiment, 0)
    forecaster.fit(train, None)
    row = int(np.flatnonzero(train.series == 1)[5])
    windows = train.take(slice(row, row + 2))

    batches = forecaster._batches(windows)

    inputs, spread = batches.inputs(slice(None))[:, :, 0], batches.spread
    if scaling == "window":  # each window has its own scale
        both = torch.from_numpy(windows.inputs()[0, :, 0])
        wanted = torch.tensor(windows.y[0]) - (both[-1] if target == "difference" else both.mean())
        torch.testing.assert_close(batches.targets[0], (wanted / spread[0]).float(), rtol=1e-4, atol=1e-5)
        return
    known = inputs[1, -1] - inputs[0, -1] if target == "difference" else inputs[1, -1]
    torch.testing.assert_close(batches.targets[0, 0], known, rtol=1e-4, atol=1e-5)


def test_when_windows_have_another_shape_then_the_expected_one_is_named():
    for x in (torch.randn(5, 9, 3), torch.randn(5, 10, 2), torch.randn(10, 3)):
        with pytest.raises(ValueError, match=r"\(batch, 10, 3\), got"):
            decoder()(x)
