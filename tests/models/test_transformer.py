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


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_when_only_the_last_position_is_read_then_leaving_the_others_out_changes_nothing(norm):
    layer = make(norm=norm).encoder.layers[0].eval()
    x = torch.randn(3, 12, 64)

    torch.testing.assert_close(layer(x, first=11), layer(x)[:, -1:], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("positions", "pool", "early", "last"),
    [
        ("none", "last", True, False),
        ("none", "mean", True, True),
        ("sinusoidal", "last", False, False),
        ("sinusoidal", "mean", False, False),
        ("learned", "last", False, False),
    ],
)
def test_when_periods_are_permuted_then_only_a_model_without_positions_may_not_notice(
    positions, pool, early, last
):
    model = make(positions=positions, pool=pool).eval()
    x = torch.randn(4, 12, 4)
    among_early = [*np.random.default_rng(0).permutation(11), 11]
    with_last = [11, *range(11)]

    for order, unchanged in ((among_early, early), (with_last, last)):
        assert torch.allclose(model(x), model(x[:, order]), atol=1e-5) == unchanged


def test_when_positions_differ_then_all_other_weights_and_dropout_masks_are_the_same():
    outputs, weights = {}, {}
    for kind in ("sinusoidal", "learned", "none"):
        model = make(positions=kind).train()
        weights[kind] = {k: v for k, v in model.state_dict().items() if not k.startswith("positions")}
        model.positions = nn.Identity()
        outputs[kind] = model(torch.ones(2, 12, 4))

    for kind in ("learned", "none"):
        assert all(torch.equal(value, weights["sinusoidal"][name]) for name, value in weights[kind].items())
        assert torch.equal(outputs[kind], outputs["sinusoidal"])


def test_when_learned_positions_are_drawn_then_their_seed_is_the_networks():
    first, again, other = (make(seed, positions="learned").positions.table for seed in (1, 1, 2))

    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_when_sinusoids_are_made_then_they_follow_the_formula():
    table = sinusoids(7, 6).numpy()

    for t, i in product(range(7), range(3)):
        angle = t / 10000 ** (2 * i / 6)
        assert table[t, 2 * i : 2 * i + 2] == pytest.approx([np.sin(angle), np.cos(angle)], abs=1e-6)


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
