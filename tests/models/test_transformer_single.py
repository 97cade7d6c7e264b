"""Attention of one query, with keys and values left unprojected: the same numbers as the long way."""

from __future__ import annotations

import pytest
import torch

from panelbench.models.transformer import single
from panelbench.models.transformer.attention import MultiHeadAttention
from panelbench.models.transformer.convolutional import ConvolutionalAttention
from panelbench.models.transformer.masks import causal_mask, rows_from
from panelbench.models.transformer.relative import Alibi, Rotary


def attention(relative=None, scaled=True, dropout=0.0):
    torch.manual_seed(1)
    made = MultiHeadAttention(12, 3, dropout, scaled, relative).double()
    torch.nn.init.normal_(made.in_proj_bias)
    return made


def both_ways(made, x, blocked, monkeypatch):
    """Return outputs and gradients of the last position, by the short way and by the long one."""
    found = []
    for short in (True, False):
        if not short:
            monkeypatch.setattr(single, "applies", lambda *_: False)
        made.zero_grad()
        torch.manual_seed(2)
        output = made(x[:, -1:], x, blocked)
        (output * torch.arange(12.0)).sum().backward()
        found.append([output.detach(), *(part.grad.clone() for part in made.parameters())])
    return zip(*found, strict=True)


@pytest.mark.parametrize("relative", [None, Alibi(3)])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_when_there_is_one_query_then_outputs_and_gradients_are_those_of_the_long_way(
    relative, scaled, masked, dropout, monkeypatch
):
    made = attention(relative, scaled, dropout)
    x = torch.randn(5, 7, 12, dtype=torch.float64)
    blocked = torch.rand(5, 1, 1, 7) < 0.3 if masked else None
    if blocked is not None:
        blocked[..., 0] = False

    assert single.applies(made, x[:, -1:], x)
    for short, long in both_ways(made, x, blocked, monkeypatch):
        torch.testing.assert_close(short, long, rtol=1e-9, atol=1e-9)


def test_when_the_mask_is_causal_then_the_last_position_still_sees_all(monkeypatch):
    x = torch.randn(2, 4, 12, dtype=torch.float64)

    for short, long in both_ways(attention(), x, rows_from(causal_mask(4), 3), monkeypatch):
        torch.testing.assert_close(short, long, rtol=1e-9, atol=1e-9)


def test_when_keys_are_more_than_projected_positions_then_it_does_not_apply():
    x = torch.randn(2, 6, 12)

    assert not single.applies(attention(Rotary(6, 4)), x[:, -1:], x)
    assert not single.applies(ConvolutionalAttention(12, 3, kernel=3), x[:, -1:], x)
    assert single.applies(ConvolutionalAttention(12, 3, kernel=1), x[:, -1:], x)
    assert not single.applies(attention(), x[:, -2:], x)
