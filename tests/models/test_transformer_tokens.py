"""Tokens and scale: patches, channels apart, RevIN, read-outs, the shape that a network asks for."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from panelbench.data import Scaler
from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.model import TransformerEncoder
from panelbench.models.transformer.revin import RevIN
from panelbench.models.transformer.tokens import cut_patches
from tests.models.small import settings, task

CHAPTER = {
    "lookback": 96, "horizon": 24, "patch_length": 16, "width": 64, "heads": 4, "feed_forward": 256,
    "layers": 2, "activation": "gelu", "norm": "pre", "positions": "learned", "pool": "flatten",
}  # fmt: skip


def make(channels: int = 3, seed: int = 0, **own) -> TransformerEncoder:
    torch.manual_seed(seed)
    return TransformerEncoder(
        TransformerSettings(**{"model": "transformer", "lookback": 12, **own}), channels
    ).eval()


def count(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@pytest.mark.parametrize("implementation", ["scratch", "library"])
@pytest.mark.parametrize(("final_norm", "parameters"), [("auto", 110_808), (True, 110_808), (False, 110_680)])
def test_when_the_textbooks_example_is_built_then_a_final_norm_makes_the_difference(
    final_norm, parameters, implementation
):
    model = make(1, final_norm=final_norm, implementation=implementation, **CHAPTER)

    assert count(model) == parameters
    assert model(torch.randn(5, 96, 1)).shape == (5, 24)
    assert model.looks(torch.randn(5, 96, 1))[0].shape == (5, 2, 4, 6, 6)


@given(
    lookback=st.integers(1, 30),
    length=st.integers(1, 30),
    stride=st.integers(1, 30),
    channels=st.integers(1, 3),
)
@examples(max_examples=60, deadline=None)
def test_when_a_window_is_cut_then_patches_end_with_the_last_period_and_only_the_oldest_are_left_out(
    lookback, length, stride, channels
):
    length = min(length, lookback)
    stride = min(stride, length)
    x = torch.arange(2.0 * lookback * channels).view(2, lookback, channels)
    declared = TransformerSettings(
        model="transformer", lookback=lookback, patch_length=length, patch_stride=stride
    )

    patches = cut_patches(x, length, stride)

    n = declared.tokens
    assert patches.shape == (2, n, channels * length)
    for k in range(n):
        end = lookback - (n - 1 - k) * stride
        assert torch.equal(patches[:, k], x[:, end - length : end].transpose(1, 2).flatten(1))
    assert lookback - (n - 1) * stride - length < stride  # what is left out would not make a patch


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"patch_length": 9}, r"patch_length is 9 .*cannot be longer than the lookback of 8"),
        ({"patch_length": 0}, r"patch_length is 0 .*at least 1"),
        ({"patch_stride": 2}, r"patch_stride is 2 .*so patch_length is needed too"),
        ({"patch_length": 2, "patch_stride": 3}, r"patch_stride is 3 .*leave periods unread"),
        ({"final_norm": 1}, r"final_norm is 1 \(number\): auto, true or false is needed"),
        ({"revin": True, "target": "difference"}, r"revin is True .*it needs target: level"),
    ],
)
def test_when_tokens_or_scale_cannot_work_then_the_setting_is_refused(own, message):
    with pytest.raises(InputError, match=message):
        settings("transformer", **own)


def test_when_patches_do_not_fill_the_lookback_then_the_oldest_periods_alone_are_unread():
    model = make(patch_length=5)
    x = torch.randn(4, 12, 3)
    oldest, next_ = x.clone(), x.clone()
    oldest[:, :2] += 100
    next_[:, 2] += 100

    assert torch.equal(model(oldest), model(x))
    assert not torch.allclose(model(next_), model(x))


@given(
    level=st.floats(-1e5, 1e5),
    spread=st.floats(1e-1, 1e4),
    seed=st.integers(0, 1000),
    channels=st.integers(1, 4),
)
@examples(max_examples=50, deadline=None)
def test_when_windows_are_scaled_by_themselves_then_the_way_back_restores_them(
    level, spread, seed, channels
):
    own = torch.Generator().manual_seed(seed)
    x = (level + spread * torch.randn(3, 12, channels, generator=own)).double()
    target = seed % channels
    module = RevIN(channels, target).double()
    with torch.no_grad():
        module.weight.uniform_(0.5, 2, generator=own)
        module.bias.normal_(generator=own)

    scaled, mean, sd = module(x)

    inner, ones = (scaled - module.bias) / module.weight, torch.ones(3, channels).double()
    torch.testing.assert_close(inner.mean(dim=1), 0 * ones, rtol=0, atol=1e-6)
    torch.testing.assert_close(inner.square().mean(dim=1), ones, rtol=0, atol=1e-2)
    restored = module.restore(scaled[..., target], mean, sd)
    torch.testing.assert_close(restored, x[..., target], rtol=1e-12, atol=1e-9)


def test_when_a_window_is_constant_then_its_forecast_starts_from_its_level_and_gradients_are_finite():
    model = make(1, revin=True)
    x = torch.full((2, 12, 1), 7000.0).requires_grad_()

    found = model(x)
    found.sum().backward()

    assert torch.isfinite(found).all()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)
    torch.testing.assert_close(found, torch.full_like(found, 7000.0), rtol=0, atol=0.1)


@pytest.mark.parametrize("own", [{}, {"mixing": "independent"}, {"patch_length": 4, "pool": "flatten"}])
def test_when_level_and_scale_of_a_window_change_then_forecasts_follow_exactly(own):
    model = make(1, revin=True, horizon=3, **own).double()
    x = torch.randn(4, 12, 1).double() * 50

    torch.testing.assert_close(model(3 * x + 1000), 3 * model(x) + 1000, rtol=1e-5, atol=1e-4)


def test_when_another_window_is_disturbed_then_a_windows_statistics_stay():
    model = make(revin=True)
    x = torch.randn(4, 12, 3)
    disturbed = x.clone()
    disturbed[1:] *= 1e3

    torch.testing.assert_close(model(disturbed)[:1], model(x)[:1], rtol=1e-5, atol=1e-5)


def test_when_revin_has_learned_nothing_then_it_scales_as_the_window_scaling_does():
    experiment = settings("transformer", scaling="window")
    train = task(experiment).train
    centre, spread = Scaler.fit(train, "window", "level").inputs(train)
    window = torch.from_numpy(train.inputs())
    place = (train.series, train.position)

    with torch.no_grad():
        scaled, mean, _ = RevIN(window.shape[2])(window)

    expected = (window.numpy() - centre[place][:, None]) / spread[place][:, None]
    moving = spread[place][:, :1] > 1
    np.testing.assert_allclose(scaled.numpy()[..., 0] * moving, expected[..., 0] * moving, atol=1e-3)
    np.testing.assert_allclose(mean.numpy(), centre[place][:, :1], rtol=1e-5)


def test_when_revin_is_trained_then_it_learns_and_no_later_value_moves_a_forecast():
    experiment = settings("transformer", revin=True, scaling="none", horizon=2)
    blocks = task(experiment)
    forecaster = registry.build(experiment, 0)
    forecaster.fit(blocks.train, blocks.valid)
    early = blocks.test.take(np.flatnonzero(blocks.test.origin == blocks.test.origin.min()))
    before = forecaster.predict(early)

    early.known.y[:, early.origin.min() + 1 :] *= 100
    early.known.past[:, early.origin.min() + 1 :] *= 100
    fresh = early.take(slice(0, len(early)))

    assert np.array_equal(forecaster.predict(fresh), before)
    assert not torch.equal(forecaster.module.revin.weight, torch.ones_like(forecaster.module.revin.weight))


def test_when_there_is_one_channel_then_mixing_is_no_difference():
    x = torch.randn(5, 12, 1)

    assert torch.equal(make(1, mixing="independent")(x), make(1, mixing="mixed")(x))


@pytest.mark.parametrize(
    "own", [{}, {"pool": "mean"}, {"pool": "flatten", "patch_length": 3, "patch_stride": 2}]
)
def test_when_channels_are_apart_then_they_share_one_encoder_and_meet_in_the_head_alone(own):
    apart, mixed = make(mixing="independent", **own), make(**own)
    x = torch.randn(4, 12, 3)
    others = x.clone()
    others[..., 1:] = torch.randn(4, 12, 2)
    width = apart.head.in_features // 3

    assert not torch.allclose(apart(others), apart(x))
    with torch.no_grad():
        apart.head.weight[:, width:] = 0  # read the first channel alone
    torch.testing.assert_close(apart(others), apart(x), rtol=1e-5, atol=1e-6)
    assert not torch.allclose(mixed(others), mixed(x), atol=1e-3)
    assert apart.embed.in_features * 3 == mixed.embed.in_features
    assert apart.encoder.state_dict().keys() == mixed.encoder.state_dict().keys()
    first = make(1, **own)
    first.load_state_dict(apart.state_dict() | {"head.weight": apart.head.weight[:, :width]})
    torch.testing.assert_close(first(x[..., :1]), apart(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("own", [{"revin": True}, {"mixing": "independent"}])
def test_when_the_target_is_not_the_first_channel_then_it_is_still_the_target(own):
    names = ("price", "promo", "y")
    ours, usual = make(channels=3, **own, **{"lookback": 12}), None
    torch.manual_seed(0)
    declared = TransformerSettings(model="transformer", lookback=12, channels=names, **own)
    usual = TransformerEncoder(declared, 3).eval()
    x = torch.randn(4, 12, 3) + torch.tensor([0.0, 50.0, 1000.0])

    assert (ours.target, usual.target) == (0, 2)
    if "revin" in own:
        assert (usual(x) > 900).all()
    else:
        alone = make(1).looks(x[..., 2:])[0]
        usual.load_state_dict(make(1).state_dict() | {"head.weight": usual.head.weight})
        torch.testing.assert_close(usual.looks(x)[0], alone)
