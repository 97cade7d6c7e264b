"""A mask that does not hold is found, wherever the forecast itself would not show it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from panelbench.audit import causality
from panelbench.config.settings import Settings, SplitSettings
from panelbench.models import registry
from tests.helpers.panels import make_panel

SPLIT = SplitSettings(test_steps=12, validation_steps=0)
TINY = {"lookback": 8, "width": 8, "heads": 2, "feed_forward": 8, "layers": 2, "batch_size": 64}
CAUSAL = {
    "flattened": {"model": "transformer", "causal": True, "pool": "flatten"},
    "last": {"model": "transformer", "causal": True, "pool": "last", "positions": "rotary"},
    "library": {"model": "transformer", "causal": True, "implementation": "library"},
    "patched": {"model": "transformer", "causal": True, "patch_length": 2, "pool": "mean"},
    "convolutional": {"model": "conv_transformer"},
    "decoder": {"model": "transformer_decoder"},
    "decoder_4": {"model": "transformer_decoder", "horizon": 4, "norm": "pre"},
    "encoder_decoder": {"model": "transformer_encoder_decoder", "horizon": 4},
}


@pytest.fixture(scope="module")
def panel():
    return make_panel(series=2, steps=60, past=0)


def checked(panel, *names, **more):
    chosen = {name: CAUSAL[name] for name in names} | more
    settings = Settings(panel={"source": "synthetic"}, seeds=(0,), defaults=TINY, experiments=chosen)
    return causality.causal_networks(panel, SPLIT, registry.resolve(settings))


def test_when_every_mask_holds_then_the_check_passes_and_names_each_network(panel):
    others = [name for name in CAUSAL if name != "last"]  # the same code as the first, but for its positions
    for names in (others, ["last"]):
        (check,) = checked(panel, *names)
        assert check.passed, check.detail
        assert check.detail.startswith(f"{', '.join(names)} (fitted briefly): ")


@pytest.mark.parametrize("name", ["flattened", "decoder", "encoder_decoder"])
def test_when_values_are_large_and_unscaled_then_the_control_still_moves(panel, name):
    large = replace(panel, y=1e6 * (10 + panel.y / panel.y.std()))
    (check,) = checked(large, one={**CAUSAL[name], "scaling": "none"})
    assert check.passed, check.detail


def test_when_no_network_is_causal_then_there_is_no_such_check(panel):
    assert checked(panel, both_ways={"model": "transformer"}, last={"model": "last_value"}) == []


@pytest.mark.parametrize("name", ["flattened", "last", "library", "decoder"])
def test_when_a_mask_is_forgotten_then_the_audit_fails(panel, monkeypatch, name):
    from panelbench.models.transformer import decoder, model

    for module in (model, decoder):
        monkeypatch.setattr(module, "causal_mask", lambda n: torch.zeros(n, n, dtype=torch.bool))
    if name == "library":  # which would put a mask of its own in place, told that there is one
        monkeypatch.setattr(
            torch.nn.TransformerEncoder, "forward", unmasked(torch.nn.TransformerEncoder.forward)
        )
    (check,) = checked(panel, name)
    assert not check.passed
    assert f"{name}: an earlier position moved with later ones" in check.detail


def unmasked(forward):
    return lambda self, src, **_: forward(self, src)


def test_when_teacher_forcing_shows_the_answer_then_the_audit_fails(panel, monkeypatch):
    """Plant: the decoder's input is not shifted, so each step is told its own target."""
    from panelbench.models.transformer.seq2seq import EncoderDecoder

    supervised = EncoderDecoder.supervised

    def unshifted(self, windows, targets):
        shifted_back = torch.cat([targets[:, 1:], targets[:, -1:]], dim=1)
        return supervised(self, windows, shifted_back)

    monkeypatch.setattr(EncoderDecoder, "supervised", unshifted)
    (check,) = checked(panel, "encoder_decoder")
    assert not check.passed
