"""Positions: what each kind computes, and what a model can and cannot tell apart with it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from torch import nn

from panelbench.errors import InputError
from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.encoder import Encoder, EncoderLayer
from panelbench.models.transformer.masks import padding_mask
from panelbench.models.transformer.model import TransformerEncoder
from panelbench.models.transformer.positions import make_positions, sinusoids
from panelbench.models.transformer.relative import Alibi, Rotary, alibi_slopes, make_relative
from tests.models.small import settings

KINDS = ("sinusoidal", "learned", "none", "rotary", "alibi")


def make(seed: int = 0, **own) -> TransformerEncoder:
    torch.manual_seed(seed)
    return TransformerEncoder(TransformerSettings(model="transformer", lookback=12, **own), 3).eval()


@pytest.mark.parametrize("width", [1, 2, 5, 6, 64])
def test_when_sinusoids_are_made_then_they_follow_the_formula_also_for_odd_widths(width):
    table = sinusoids(7, width).double().numpy()

    for t, feature in product(range(7), range(width)):
        angle = t / 10000 ** (2 * (feature // 2) / width)
        expected = np.cos(angle) if feature % 2 else np.sin(angle)
        assert table[t, feature] == pytest.approx(expected, abs=1e-6)


def test_when_learned_positions_are_drawn_then_their_seed_is_the_networks_and_their_sd_the_stated_one():
    first, again, other = (make(seed, positions="learned").positions.table for seed in (1, 1, 2))
    torch.manual_seed(0)
    many = make_positions("learned", 500, 64).table.detach()

    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert float(many.std()) == pytest.approx(0.02, rel=0.02)
    assert float(many.mean()) == pytest.approx(0, abs=0.001)


def test_when_positions_differ_then_all_other_weights_and_dropout_masks_are_the_same():
    outputs, weights = {}, {}
    for kind in KINDS:
        model = make(positions=kind).train()
        weights[kind] = {k: v for k, v in model.state_dict().items() if not k.startswith("positions")}
        model.positions = nn.Identity()
        for layer in model.encoder.layers:
            layer.self_attn.relative = None
        torch.manual_seed(5)
        outputs[kind] = model(torch.ones(2, 12, 3))

    for kind in KINDS[1:]:
        assert weights[kind].keys() == weights["sinusoidal"].keys()
        assert all(torch.equal(value, weights["sinusoidal"][name]) for name, value in weights[kind].items())
        assert torch.equal(outputs[kind], outputs["sinusoidal"])


ARCHITECTURES = st.fixed_dictionaries(
    {
        "norm": st.sampled_from(["post", "pre"]),
        "activation": st.sampled_from(["relu", "gelu"]),
        "mixing": st.sampled_from(["mixed", "independent"]),
        "revin": st.booleans(),
        "scaled": st.booleans(),
        "layers": st.integers(1, 3),
    }
)


@given(order=st.permutations(range(12)), own=ARCHITECTURES, seed=st.integers(0, 1000))
@examples(max_examples=40, deadline=None)
def test_when_there_are_no_positions_then_a_mean_read_out_is_invariant_to_any_order(order, own, seed):
    model = make(seed, positions="none", pool="mean", **own)
    x = torch.randn(3, 12, 3, generator=torch.Generator().manual_seed(seed))

    torch.testing.assert_close(model(x[:, list(order)]), model(x), rtol=1e-4, atol=1e-4)


@given(order=st.permutations(range(11)), own=ARCHITECTURES, seed=st.integers(0, 1000))
@examples(max_examples=40, deadline=None)
def test_when_there_are_no_positions_then_the_last_read_out_knows_only_which_is_last(order, own, seed):
    model = make(seed, positions="none", **own)
    x = torch.randn(3, 12, 3, generator=torch.Generator().manual_seed(seed))

    torch.testing.assert_close(model(x[:, [*order, 11]]), model(x), rtol=1e-4, atol=1e-4)
    assert not torch.allclose(model(x[:, [11, *range(11)]]), model(x), atol=1e-3)


@pytest.mark.parametrize(
    "own",
    [
        *({"positions": kind} for kind in KINDS if kind != "none"),
        {"positions": "none", "causal": True},
        {"positions": "none", "patch_length": 4},
        {"positions": "none", "pool": "flatten"},
    ],
)
def test_when_the_model_has_a_way_to_know_the_order_then_permuting_the_earlier_periods_moves_it(own):
    for pool in {own.get("pool", "last"), own.get("pool", "mean")}:
        model = make(**{**own, "pool": pool})
        x = torch.randn(4, 12, 3)

        assert not torch.allclose(model(x[:, [*reversed(range(11)), 11]]), model(x), atol=1e-4)


@given(half=st.integers(1, 6), length=st.integers(1, 40), seed=st.integers(0, 1000))
@examples(max_examples=30, deadline=None)
def test_when_vectors_are_turned_then_it_is_the_papers_rotation_and_scores_depend_on_distance_alone(
    half, length, seed
):
    own = torch.Generator().manual_seed(seed)
    query, key = torch.randn(2, 1, 1, 1, 2 * half, generator=own).double()
    everywhere = (1, 1, length, 2 * half)
    rotary = Rotary(length, 2 * half)

    queries, keys = rotary.turn(query.expand(everywhere), key.expand(everywhere))
    scores = (queries @ keys.transpose(-1, -2))[0, 0]

    for offset in range(-length + 1, length):
        along = scores.diagonal(offset)
        torch.testing.assert_close(along, along[:1].expand_as(along), rtol=1e-5, atol=1e-5)
    angle = (length - 1) * 10000 ** (-np.arange(half) / half)  # the last position's
    pairs = query.numpy().reshape(half, 2) @ [1, 1j] * np.exp(1j * angle)
    np.testing.assert_allclose(queries[0, 0, -1].numpy().reshape(half, 2) @ [1, 1j], pairs, atol=1e-5)


@given(heads=st.integers(1, 20), length=st.integers(1, 30))
@examples(max_examples=20, deadline=None)
def test_when_scores_are_lowered_then_by_slope_times_distance_in_both_directions(heads, length):
    bias = Alibi(heads).bias(length, length)

    place = np.arange(length)
    expected = -np.array(alibi_slopes(heads))[:, None, None] * np.abs(place[:, None] - place)
    np.testing.assert_allclose(bias.numpy(), expected, rtol=1e-6)
    assert torch.equal(Alibi(heads).bias(1, length), bias[:, -1:])  # the last query alone


@pytest.mark.parametrize(
    ("heads", "slopes"),
    [
        (1, [2**-8]),
        (8, [2**-1, 2**-2, 2**-3, 2**-4, 2**-5, 2**-6, 2**-7, 2**-8]),
        (6, [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3]),
        (3, [2**-4, 2**-8, 2**-2]),
    ],
)
def test_when_heads_are_counted_then_slopes_are_those_of_the_authors(heads, slopes):
    assert alibi_slopes(heads) == slopes


@pytest.mark.parametrize(
    ("kind", "relative"), [("rotary", True), ("alibi", True), ("sinusoidal", False), ("learned", False)]
)
def test_when_a_window_stands_later_then_only_added_positions_move_the_outputs(kind, relative):
    torch.manual_seed(0)
    layer = EncoderLayer(12, 2, 16, 0.0, relative=make_relative(kind, 15, 12, 2))
    model, positions = Encoder(layer, 2).eval(), make_positions(kind, 15, 12)
    window = torch.randn(2, 9, 12)
    place = torch.arange(15)
    outputs = []
    for first in (0, 6):  # the same nine vectors early and late among fifteen places, the rest padded
        x = torch.zeros(2, 15, 12)
        x[:, first : first + 9] = window
        padded = ((place < first) | (place >= first + 9)).expand(2, 15)
        outputs.append(model(positions(x), padding_mask(padded))[:, first : first + 9])

    assert torch.allclose(*outputs, atol=1e-5) == relative


def test_when_heads_are_of_odd_width_then_rotary_positions_are_refused():
    message = r"positions is 'rotary' \(text\): features are turned in pairs, .* even, and it is 3"
    with pytest.raises(InputError, match=message):
        settings("transformer", width=6, heads=2, positions="rotary")
    assert settings("transformer", width=9, heads=3, positions="sinusoidal").width == 9
