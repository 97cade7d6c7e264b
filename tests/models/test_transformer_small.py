"""The small forecaster, and the shape of windows that every Transformer asks for."""

from __future__ import annotations

import pytest
import torch

from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer import SmallForecaster
from panelbench.models.transformer.model import TransformerEncoder


def make(channels: int = 3, seed: int = 0, **own) -> TransformerEncoder:
    torch.manual_seed(seed)
    declared = TransformerSettings(**{"model": "transformer", "lookback": 12, **own})
    return TransformerEncoder(declared, channels).eval()


def count(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@pytest.mark.parametrize("wrong", [(4, 11, 3), (4, 12, 2), (12, 3), (4, 12, 3, 1), (4, 3, 12)])
@pytest.mark.parametrize("own", [{}, {"implementation": "library"}, {"patch_length": 4, "revin": True}])
def test_when_windows_have_another_shape_then_the_expected_one_is_named(own, wrong):
    model = make(**own)
    for call in (model, model.looks):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is looked at below
            call(torch.zeros(wrong))
        expected = "expected windows of shape (batch, lookback, channels) = (batch, 12, 3), got "
        assert str(caught.value) == f"{expected}{wrong}"


def test_when_the_small_forecaster_is_built_then_it_is_the_transformer_of_the_settings_it_names():
    own = {"width": 32, "heads": 4, "feed_forward": 64, "layers": 1, "dropout": 0.1}
    declared = make(1, seed=4, **own)
    torch.manual_seed(4)
    small = SmallForecaster().eval()
    x = torch.randn(7, 12, 1)

    torch.testing.assert_close(small(x), declared(x), rtol=1e-6, atol=1e-6)
    assert small(x).shape == (7, 1)
    assert count(small) == count(declared) == 64 + 4 * (32 * 32 + 32) + 2 * 32 * 64 + 64 + 32 + 4 * 32 + 33


@pytest.mark.parametrize("wrong", [(7, 11, 1), (7, 12), (7, 12, 2)])
def test_when_the_small_forecaster_gets_another_shape_then_it_says_which_it_expects(wrong):
    with pytest.raises(ValueError, match=r"\(batch, lookback, channels\) = \(batch, 12, 1\), got \(7, "):
        SmallForecaster()(torch.zeros(wrong))


@pytest.mark.parametrize("lookback", [0, -3])
def test_when_there_is_no_period_to_look_back_on_then_it_is_refused(lookback):
    with pytest.raises(ValueError, match=f"lookback must be at least 1 period, got {lookback}"):
        SmallForecaster(lookback=lookback)
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        make(lookback=lookback)
    unchecked = TransformerSettings(model="transformer").model_copy(update={"lookback": lookback})
    with pytest.raises(ValueError, match=f"lookback must be at least 1 period, got {lookback}"):
        TransformerEncoder(unchecked, 1)
