"""Masks, True = may not attend: what is blocked has no influence at all; no row may be blocked throughout."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from torch import nn

from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.attention import attention_weights
from panelbench.models.transformer.encoder import Encoder, EncoderLayer
from panelbench.models.transformer.masks import causal_mask, combine, padding_mask
from panelbench.models.transformer.model import TransformerEncoder
from panelbench.models.transformer.relative import make_relative

LENGTH, WIDTH, HEADS = 8, 12, 2


def encoder(positions: str = "none", norm_first: bool = False, layers: int = 2) -> Encoder:
    torch.manual_seed(1)
    relative = make_relative(positions, LENGTH, WIDTH, HEADS)
    layer = EncoderLayer(WIDTH, HEADS, 16, 0.0, norm_first, relative=relative)
    return Encoder(layer, layers, nn.LayerNorm(WIDTH) if norm_first else None).eval()


def test_when_a_mask_is_causal_then_true_stands_for_what_is_later():
    assert causal_mask(3).tolist() == [[False, True, True], [False, False, True], [False, False, False]]


@pytest.mark.parametrize("positions", ["none", "rotary", "alibi"])
@pytest.mark.parametrize("norm_first", [False, True])
@given(t=st.integers(0, LENGTH - 2), seed=st.integers(0, 2**31))
@examples(max_examples=20, deadline=None)
def test_when_later_positions_are_disturbed_then_a_causal_encoder_does_not_move(
    norm_first, positions, t, seed
):
    model, blocked = encoder(positions, norm_first), causal_mask(LENGTH)
    own = torch.Generator().manual_seed(seed)
    x = torch.randn(2, LENGTH, WIDTH, generator=own)
    disturbed = x.clone()
    disturbed[:, t + 1 :] = 1e4 * torch.randn(2, LENGTH - t - 1, WIDTH, generator=own)

    with torch.no_grad():
        before, after, open_ = model(x, blocked), model(disturbed, blocked), model(disturbed)

    torch.testing.assert_close(after[:, : t + 1], before[:, : t + 1], rtol=0, atol=1e-6)
    assert not torch.allclose(after[:, t + 1 :], before[:, t + 1 :])
    assert not torch.allclose(open_[:, : t + 1], before[:, : t + 1], atol=1e-2)  # without the mask it does


def test_when_a_position_is_blocked_then_its_weight_and_its_gradient_are_exactly_zero():
    x = torch.randn(1, LENGTH, WIDTH, requires_grad=True)

    weights = attention_weights(x, x, causal_mask(LENGTH))
    encoder()(x, causal_mask(LENGTH))[:, 3, 0].sum().backward()

    assert (weights[0][causal_mask(LENGTH)] == 0).all()
    assert (x.grad[:, 4:] == 0).all()
    assert (x.grad[:, :4] != 0).all()


@given(lengths=st.lists(st.integers(1, LENGTH), min_size=1, max_size=4), before=st.booleans())
@examples(max_examples=20, deadline=None)
def test_when_windows_are_padded_then_the_padding_changes_nothing(lengths, before):
    model, n = encoder(norm_first=True), torch.tensor(lengths)[:, None]
    place = torch.arange(LENGTH)
    padded = place < LENGTH - n if before else place >= n
    x = torch.randn(len(lengths), LENGTH, WIDTH)
    other = torch.where(padded[..., None], 50 * torch.randn_like(x), x)

    with torch.no_grad():
        found, moved = model(x, padding_mask(padded)), model(other, padding_mask(padded))

        torch.testing.assert_close(moved[~padded], found[~padded], rtol=0, atol=1e-6)
        for row, blank in enumerate(padded):  # nor does the window's length
            alone = model(x[row : row + 1, ~blank])
            torch.testing.assert_close(found[row : row + 1, ~blank], alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("positions", ["none", "rotary", "alibi"])
@pytest.mark.parametrize("mask", [None, causal_mask(LENGTH), padding_mask(torch.arange(LENGTH)[None] < 2)])
@pytest.mark.parametrize("norm_first", [False, True])
def test_when_only_the_last_positions_are_asked_for_then_they_are_those_of_all(norm_first, mask, positions):
    model = encoder(positions, norm_first, layers=3)
    x = torch.randn(3, LENGTH, WIDTH)

    for first in (0, 5, LENGTH - 1):
        torch.testing.assert_close(model(x, mask, first), model(x, mask)[:, first:], rtol=1e-5, atol=1e-6)


def test_when_the_causal_setting_is_on_then_each_token_looks_back_only():
    declared = TransformerSettings(model="transformer", lookback=LENGTH, causal=True)
    torch.manual_seed(0)
    model = TransformerEncoder(declared, 2).eval()

    used, _ = model.looks(torch.randn(3, LENGTH, 2))

    assert (used[..., causal_mask(LENGTH)] == 0).all()
    assert (used[..., ~causal_mask(LENGTH)] > 0).all()


def test_when_a_window_is_padded_throughout_then_the_error_names_it_and_nothing_is_nan():
    padded = torch.zeros(3, LENGTH, dtype=torch.bool)
    padded[1] = True
    x = torch.randn(3, LENGTH, WIDTH)

    with pytest.raises(ValueError, match=r"leaves query 0 of window 1 no position to attend to"):
        encoder()(x, padding_mask(padded))


def test_when_padding_stands_before_the_values_under_a_causal_mask_then_the_error_says_where_it_belongs():
    padded = torch.arange(LENGTH)[None] < 2
    x = torch.randn(1, LENGTH, WIDTH)

    with pytest.raises(ValueError, match=r"query 0 of window 0 .* padding stands after the values"):
        encoder()(x, combine(causal_mask(LENGTH), padding_mask(padded)))


def test_when_masks_are_combined_then_either_blocks():
    first, second = torch.tensor([[True, False]]), torch.tensor([[False, False]])

    assert combine(first, None, second).tolist() == [[True, False]]
    assert combine(None, None) is None


@pytest.mark.parametrize("wrong", [torch.zeros(3, LENGTH), torch.zeros(LENGTH, dtype=torch.bool)])
def test_when_padding_is_not_boolean_by_window_then_the_error_says_what_is_needed(wrong):
    with pytest.raises(ValueError, match=r"boolean of shape \(batch, lookback\), True where there is no"):
        padding_mask(wrong)


def test_when_a_mask_is_not_boolean_then_it_is_refused():
    x = torch.randn(1, LENGTH, WIDTH)

    with pytest.raises(ValueError, match="a mask is boolean, True where attention is not allowed"):
        encoder()(x, causal_mask(LENGTH).float())
