"""Attention with convolutions for queries and keys."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from panelbench.errors import InputError
from panelbench.models.design_settings import ConvTransformerSettings
from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.convolutional import ConvolutionalAttention
from panelbench.models.transformer.model import TransformerEncoder
from tests.models.small import settings

SMALL = {"lookback": 10, "width": 16, "heads": 2, "feed_forward": 24, "dropout": 0.0}


def convolved(seed=0, **own) -> TransformerEncoder:
    torch.manual_seed(seed)
    return TransformerEncoder(ConvTransformerSettings(model="c", **{**SMALL, **own}), 3)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_when_the_kernel_is_one_period_then_the_network_is_the_plain_causal_one(norm):
    torch.manual_seed(0)
    plain = TransformerEncoder(TransformerSettings(model="t", causal=True, **SMALL, norm=norm), 3)
    x = torch.randn(5, 10, 3)

    model = convolved(kernel=1, norm=norm)

    assert {n: p.tolist() for n, p in model.named_parameters()} == {
        n: p.tolist() for n, p in plain.named_parameters()
    }
    assert torch.equal(model(x), plain(x))


def test_when_the_earlier_columns_of_a_kernel_are_zero_then_attention_is_plain():
    wide, plain = ConvolutionalAttention(16, 2, kernel=4), nn.MultiheadAttention(16, 2, batch_first=True)
    nn.init.zeros_(wide.earlier)
    wide.load_state_dict({**plain.state_dict(), "earlier": wide.earlier})
    x = torch.randn(5, 10, 16)

    torch.testing.assert_close(wide(x), plain(x, x, x)[0])


def test_when_queries_and_keys_are_convolved_then_each_sums_over_its_kernel():
    attention = ConvolutionalAttention(16, 2, kernel=3)
    x = torch.randn(5, 10, 16)
    columns = [attention.earlier[..., 0], attention.earlier[..., 1], attention.in_proj_weight[:32]]
    padded = torch.cat([torch.zeros(5, 2, 16), x], dim=1)
    both = sum(padded[:, lag : lag + 10] @ column.T for lag, column in enumerate(columns))

    queries, keys, values = attention.project(x[:, 7:], x)

    torch.testing.assert_close(queries, attention.split(both[:, 7:, :16]), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(keys, attention.split(both[..., 16:]), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(values, attention.split(x @ attention.in_proj_weight[32:].T))


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_when_later_periods_change_then_a_convolutional_networks_earlier_outputs_do_not(positions):
    model = convolved(kernel=3, positions=positions)
    x = torch.randn(5, 10, 16)
    before = model.encoder(x, model.blocked)
    x[:, 6:] += 100

    after = model.encoder(x, model.blocked)

    torch.testing.assert_close(before[:, :6], after[:, :6], rtol=0, atol=1e-6)
    assert not torch.allclose(before[:, 6:], after[:, 6:])


def test_when_only_the_last_position_is_read_then_a_convolutional_network_gives_the_same():
    model = convolved(kernel=3)
    x = torch.randn(5, 10, 16)

    torch.testing.assert_close(model.encoder(x, model.blocked, 9), model.encoder(x, model.blocked)[:, 9:])


def test_when_a_kernel_is_longer_than_the_window_then_it_is_refused():
    with pytest.raises(InputError, match="more than the lookback of 8"):
        settings("conv_transformer", kernel=9)
    assert settings("conv_transformer", kernel=3, patch_length=4, patch_stride=2)
    with pytest.raises(InputError, match="more than the 3 patches of a window"):
        settings("conv_transformer", kernel=4, patch_length=4, patch_stride=2)


def test_when_windows_have_another_shape_then_the_expected_one_is_named():
    for x in (torch.randn(5, 9, 3), torch.randn(5, 10, 2), torch.randn(10, 3)):
        with pytest.raises(ValueError, match=r"\(batch, 10, 3\), got"):
            convolved()(x)
