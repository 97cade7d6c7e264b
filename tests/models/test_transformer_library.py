"""The encoder against torch's own: equal weights give equal outputs and gradients, mask or not."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.attention import MultiHeadAttention, scaled_dot_product_attention
from panelbench.models.transformer.encoder import Encoder, EncoderLayer
from panelbench.models.transformer.masks import causal_mask, combine, padding_mask
from panelbench.models.transformer.model import TransformerEncoder
from tests.models.small import settings, task

WIDTH, HEADS, HIDDEN, LENGTH, BATCH = 16, 4, 24, 9, 5
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}


def pair(norm_first: bool, activation: str, layers: int, dtype: torch.dtype) -> tuple[Encoder, nn.Module]:
    """Ours and the library's with the same weights, none of them at its initial value."""
    torch.manual_seed(0)
    ours = Encoder(
        EncoderLayer(WIDTH, HEADS, HIDDEN, 0.0, norm_first, activation),
        layers,
        nn.LayerNorm(WIDTH) if norm_first else None,
    ).to(dtype)
    theirs = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(
            WIDTH, HEADS, HIDDEN, 0.0, activation, batch_first=True, norm_first=norm_first
        ),
        layers,
        norm=nn.LayerNorm(WIDTH) if norm_first else None,
        enable_nested_tensor=False,
    ).to(dtype)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    theirs.load_state_dict(ours.state_dict())
    return ours, theirs


def padded_windows() -> torch.Tensor:
    """Padding after the values, of another length in each window."""
    return torch.arange(LENGTH) >= torch.tensor([9, 8, 5, 9, 2])[:, None]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("mask", ["none", "causal", "padding", "both"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("layers", [1, 3])
def test_when_weights_are_the_same_then_outputs_and_gradients_are_the_librarys(
    layers, norm_first, activation, mask, dtype
):
    ours, theirs = pair(norm_first, activation, layers, dtype)
    causal = causal_mask(LENGTH) if mask in ("causal", "both") else None
    padded = padded_windows() if mask in ("padding", "both") else None
    x = torch.randn(BATCH, LENGTH, WIDTH, dtype=dtype)
    mine, yours = x.clone().requires_grad_(), x.clone().requires_grad_()

    found = ours(mine, combine(causal, None if padded is None else padding_mask(padded)))
    expected = theirs(yours, mask=causal, src_key_padding_mask=padded)
    target = torch.randn_like(x)
    (found - target).square().mean().backward()
    (expected - target).square().mean().backward()

    tolerance = {"rtol": 0, "atol": TOLERANCE[dtype]}
    torch.testing.assert_close(found, expected, **tolerance)
    torch.testing.assert_close(mine.grad, yours.grad, **tolerance)
    named = dict(theirs.named_parameters())
    for name, parameter in ours.named_parameters():
        assert parameter.grad.abs().max() > 1e-4, name
        torch.testing.assert_close(parameter.grad, named[name].grad, **tolerance)


def test_when_memory_is_given_then_it_is_the_librarys_cross_attention():
    torch.manual_seed(0)
    ours = MultiHeadAttention(WIDTH, HEADS).double()
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).double()
    theirs.load_state_dict(ours.state_dict())
    query, memory = torch.randn(BATCH, 3, WIDTH).double(), torch.randn(BATCH, LENGTH, WIDTH).double()
    padded = padded_windows()

    found = ours(query, memory, padding_mask(padded))
    expected, weights = theirs(query, memory, memory, key_padding_mask=padded, average_attn_weights=False)

    torch.testing.assert_close(found, expected, rtol=0, atol=1e-10)
    queries, keys, _ = ours.project(query, memory)
    torch.testing.assert_close(
        ours.weights(queries, keys, padding_mask(padded)), weights, rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("blocked", [None, causal_mask(LENGTH)])
def test_when_heads_attend_then_the_pure_function_is_the_librarys_with_the_opposite_mask(blocked):
    q, k, v = torch.randn(3, BATCH, HEADS, LENGTH, 4).double()

    found = scaled_dot_product_attention(q, k, v, blocked)

    allowed = None if blocked is None else ~blocked
    expected = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-10)


def whole(implementation: str, **own) -> TransformerEncoder:
    torch.manual_seed(3)
    declared = TransformerSettings(model="transformer", lookback=12, implementation=implementation, **own)
    return TransformerEncoder(declared, 4)


@pytest.mark.parametrize(
    "own",
    [
        {},
        {"causal": True, "pool": "mean"},
        {"norm": "pre", "activation": "gelu", "final_norm": False, "patch_length": 4, "pool": "flatten"},
        {"norm": "post", "final_norm": True, "mixing": "independent", "revin": True},
    ],
)
def test_when_the_librarys_layers_are_chosen_then_weights_forecasts_and_attention_stay(own):
    ours, theirs = whole("scratch", **own).eval(), whole("library", **own).eval()
    assert isinstance(theirs.encoder, nn.TransformerEncoder)
    x = torch.randn(6, 12, 4)

    assert ours.state_dict().keys() == theirs.state_dict().keys()
    assert all(torch.equal(value, theirs.state_dict()[name]) for name, value in ours.state_dict().items())
    with torch.inference_mode():  # where the library takes its fused path
        torch.testing.assert_close(ours(x), theirs(x), rtol=1e-5, atol=1e-5)
    for mine, yours in zip(ours.looks(x), theirs.looks(x), strict=True):
        torch.testing.assert_close(mine, yours, rtol=1e-5, atol=1e-6)


def test_when_the_library_trains_then_the_forecasts_are_near_ours_and_dropout_is_on():
    own = {"dropout": 0.0, "epochs": 3}
    blocks = task(settings("transformer", **own))
    forecasts = {}
    for name, changes in (("scratch", {}), ("library", {}), ("dropout", {"dropout": 0.5})):
        implementation = "scratch" if name == "scratch" else "library"
        experiment = settings("transformer", implementation=implementation, **{**own, **changes})
        forecaster = registry.build(experiment, 0)
        forecaster.fit(blocks.train, None)
        forecasts[name] = torch.from_numpy(forecaster.predict(blocks.test))

    torch.testing.assert_close(forecasts["library"], forecasts["scratch"], rtol=1e-4, atol=0)
    assert not torch.allclose(forecasts["dropout"], forecasts["library"], rtol=1e-4, atol=0)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"positions": "rotary"}, r"implementation is 'library' \(text\): .*no `positions: rotary`; write"),
        ({"positions": "alibi"}, "no `positions: alibi`"),
        ({"scaled": False}, "no `scaled: false`"),
    ],
)
def test_when_the_library_cannot_do_it_then_the_setting_is_refused(own, message):
    with pytest.raises(InputError, match=message):
        settings("transformer", implementation="library", **own)
