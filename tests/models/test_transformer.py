"""The Transformer against the library's, and what it can and cannot tell apart."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from torch import nn

from panelbench.models import registry
from panelbench.models.base import Attends
from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.dropout import Dropout
from panelbench.models.transformer.model import TransformerEncoder
from panelbench.models.transformer.positions import sinusoids
from tests.models.small import settings, task


def make(seed: int = 0, **own) -> TransformerEncoder:
    torch.manual_seed(seed)
    return TransformerEncoder(TransformerSettings(model="transformer", lookback=12, **own), 4)


def library(seed: int = 0, norm_first: bool = False, activation: str = "relu"):
    """The same network from torch's own parts, drawn in the same order."""
    torch.manual_seed(seed)
    embed = nn.Linear(4, 64)
    layer = nn.TransformerEncoderLayer(
        64, 4, 128, dropout=0.1, activation=activation, batch_first=True, norm_first=norm_first
    )
    norm = nn.LayerNorm(64) if norm_first else None
    stack = nn.TransformerEncoder(layer, 2, norm=norm, enable_nested_tensor=False)
    return embed, stack, nn.Linear(64, 1)


@pytest.mark.parametrize(("norm", "activation"), list(product(["post", "pre"], ["relu", "gelu"])))
def test_when_drawn_from_the_same_seed_then_weights_and_forecasts_are_the_librarys(norm, activation):
    ours = make(norm=norm, activation=activation).eval()
    embed, stack, head = library(norm_first=norm == "pre", activation=activation)
    stack.eval()
    x = torch.randn(5, 12, 4)

    expected = head(stack(embed(x) + sinusoids(12, 64))[:, -1])

    theirs = {name.removeprefix("layers."): value for name, value in stack.state_dict().items()}
    assert all(torch.equal(value, theirs[name]) for name, value in ours.encoder.layers.state_dict().items())
    torch.testing.assert_close(ours(x), expected, rtol=1e-5, atol=1e-5)


def test_when_trained_without_dropout_then_gradients_are_the_librarys():
    ours = make(dropout=0.0).train()
    embed, stack, head = library()
    for module in stack.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0
    x = torch.randn(5, 12, 4)

    ours(x).square().mean().backward()
    head(stack(embed(x) + sinusoids(12, 64))[:, -1]).square().mean().backward()

    found = [parameter.grad for parameter in (*ours.embed.parameters(), *ours.encoder.parameters())]
    expected = [parameter.grad for parameter in (*embed.parameters(), *stack.parameters())]
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "own", [{}, {"norm": "pre"}, {"causal": True}, {"positions": "rotary"}, {"layers": 1}]
)
def test_when_the_last_position_is_read_then_leaving_the_others_out_is_exact(own):
    whole, spared = make(dropout=0.0, **own).double(), make(dropout=0.0, **own).double()
    x = torch.randn(5, 12, 4).double()

    expected = whole.head(whole.encoder(whole._embedded(x), whole.blocked)[:, -1])
    found = spared(x)
    expected.square().mean().backward()
    found.square().mean().backward()

    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    for mine, all_ in zip(spared.parameters(), whole.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, all_.grad, rtol=0, atol=1e-12)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_when_attention_is_looked_at_then_it_is_what_the_library_reports(norm):
    ours = make(norm=norm).eval()
    embed, stack, _ = library(norm_first=norm == "pre")
    stack.eval()
    x = torch.randn(3, 12, 4)
    state = embed(x) + sinusoids(12, 64)
    expected = []
    for layer in stack.layers:
        seen = layer.norm1(state) if norm == "pre" else state
        expected.append(layer.self_attn(seen, seen, seen, average_attn_weights=False)[1])
        state = layer(state)

    torch.testing.assert_close(ours.looks(x)[0], torch.stack(expected, dim=1), rtol=1e-4, atol=1e-5)


def test_when_a_forecaster_shows_its_attention_then_rows_sum_to_one_and_the_mean_is_that_of_each():
    experiment = settings("transformer")
    blocks = task(experiment)
    forecaster = registry.build(experiment, 0)
    forecaster.fit(blocks.train, None)

    mean, each = forecaster.attention(blocks.test), forecaster.attention_of_each(blocks.test)

    assert isinstance(forecaster, Attends)
    assert each.shape == (len(blocks.test), 2, 2, 8, 8)
    np.testing.assert_allclose(each.sum(axis=-1), 1, rtol=1e-5)
    np.testing.assert_allclose(mean, each.mean(axis=0), atol=1e-6)
    assert not isinstance(registry.build(settings("rnn"), 0), Attends)


@pytest.mark.parametrize("own", [{}, {"patch_length": 3}, {"causal": True}, {"mixing": "independent"}])
def test_when_entropy_is_taken_then_it_is_that_of_the_rows_over_the_most_it_can_be(own, monkeypatch):
    experiment = settings("transformer", **own)
    blocks = task(experiment)
    model = registry.build(experiment, 0)
    model.fit(blocks.train, None)
    monkeypatch.setattr("panelbench.models.transformer.forecaster.HELD", 1000)  # several pieces

    used, unscaled = model.attention_entropy(blocks.test)

    each = model.attention_of_each(blocks.test).astype(np.float64)
    rows = -np.where(each > 0, each * np.log(np.maximum(each, 1e-300)), 0).sum(axis=-1)
    np.testing.assert_allclose(used, rows.mean(axis=(0, -1)) / np.log(each.shape[-1]), rtol=1e-5)
    assert used.shape == unscaled.shape == (2, 2)
    assert (unscaled < used).all()  # higher scores concentrate the softmax


def test_when_attention_is_even_or_has_one_token_then_entropy_is_one_or_zero():
    experiment = settings("transformer")
    blocks = task(experiment)
    model = registry.build(experiment, 0)
    model.fit(blocks.train, None)
    with torch.no_grad():
        for layer in model.module.encoder.layers:
            layer.self_attn.in_proj_weight.zero_()
    np.testing.assert_allclose(model.attention_entropy(blocks.test), 1, rtol=1e-6)

    single = registry.build(settings("transformer", patch_length=8), 0)
    single.fit(blocks.train, None)
    assert (np.array(single.attention_entropy(blocks.test)) == 0).all()


def test_when_the_root_is_left_out_then_scores_are_products_and_both_entropies_are_one_number():
    model, plain = make(scaled=False).eval(), make().eval()
    x = torch.randn(3, 12, 4)

    used, unscaled = model.looks(x)

    assert torch.equal(used, unscaled)
    attention, seen = model.encoder.layers[0].self_attn, model._embedded(x)
    queries, keys, _ = attention.project(seen, seen)
    torch.testing.assert_close(used[:, 0], (queries @ keys.transpose(2, 3)).softmax(-1))
    torch.testing.assert_close(plain.looks(x)[1][:, 0], used[:, 0])  # the first layer reads the same
    assert not torch.allclose(plain.looks(x)[0], used, atol=1e-3)


def test_when_dropout_is_drawn_then_share_and_scale_are_right_and_evaluation_leaves_all():
    torch.manual_seed(0)
    dropout, ones = Dropout(0.1).train(), torch.ones(1001, 999)

    dropped = dropout(ones)

    kept = 1 - 6554 / 65536
    assert float((dropped == 0).float().mean()) == pytest.approx(0.1, abs=0.001)
    assert set(np.round(dropped.unique().tolist(), 5)) == {0.0, round(1 / kept, 5)}
    for shift in (1, 2, 3, 4):  # four numbers come from one draw; they must not be alike
        alike = ((dropped[:, shift:] == 0) & (dropped[:, :-shift] == 0)).float().mean()
        assert float(alike) == pytest.approx(0.01, abs=0.0005)
    assert torch.equal(Dropout(0.1).eval()(ones), ones)
    assert torch.equal(Dropout(0.0).train()(ones), ones)
    assert torch.isfinite(Dropout(0.999999).train()(ones)).all()  # nearly all: rounded, it would be all


def test_when_dropout_is_on_then_outputs_spread_as_the_librarys_do():
    ours = make().train()
    embed, stack, head = library()
    stack.train()
    ours.head.load_state_dict(head.state_dict())
    x = torch.randn(1, 12, 4).expand(6000, 12, 4)

    with torch.no_grad():
        mine = ours(x)
        theirs = head(stack(embed(x) + sinusoids(12, 64))[:, -1])

    assert float(mine.mean()) == pytest.approx(float(theirs.mean()), abs=4 * float(theirs.std()) / 6000**0.5)
    assert float(mine.std()) == pytest.approx(float(theirs.std()), rel=0.05)
