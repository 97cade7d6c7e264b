"""The permutation checks pass on the Transformer as it is, and fail when order leaks in or cannot matter."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn

from panelbench.audit import permutation
from panelbench.audit.permutation import permutations
from panelbench.config.settings import Settings, SplitSettings
from panelbench.models import registry
from panelbench.models.transformer.model import TransformerEncoder
from tests.helpers.panels import make_panel

SPLIT = SplitSettings(test_steps=20, validation_steps=8)
SMALL = {"model": "transformer", "width": 8, "heads": 2, "feed_forward": 8, "layers": 1, "lookback": 6}


def declared(**experiments):
    own = {name: {**SMALL, **changes} for name, changes in experiments.items()}
    return registry.resolve(Settings(panel={"source": "synthetic"}, seeds=(0,), experiments=own))


@pytest.fixture(scope="module")
def panel():
    return make_panel(series=3, steps=90)


def found(panel, **experiments):
    return {check.id: check for check in permutations(panel, SPLIT, declared(**experiments))}


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("scaling", ["global", "window"])
def test_when_the_transformer_is_sound_then_both_checks_pass(panel, norm, scaling):
    checks = found(
        panel,
        last={"positions": "none", "norm": norm, "scaling": scaling},
        learned={"positions": "learned", "norm": norm, "scaling": scaling},
        mean={"positions": "sinusoidal", "pool": "mean", "norm": norm, "scaling": scaling},
    )
    assert list(checks) == ["permutation_last", "permutation_mean"]
    assert all(check.passed for check in checks.values()), [check.detail for check in checks.values()]
    assert all(check.n > 0 for check in checks.values())


def test_when_positions_work_inside_attention_or_channels_are_apart_then_both_checks_pass(panel):
    checks = found(
        panel,
        rotary={"positions": "rotary"},
        alibi={"positions": "alibi", "revin": True},
        library={"positions": "none", "implementation": "library"},
        apart={"positions": "none", "pool": "mean", "mixing": "independent", "revin": True},
    )
    assert list(checks) == ["permutation_last", "permutation_mean"]
    assert all(check.passed for check in checks.values()), [check.detail for check in checks.values()]


@pytest.mark.parametrize("lookback", [3, 6])
def test_when_distances_alone_are_known_then_reading_backwards_is_no_fault(panel, lookback):
    checks = found(panel, mean={"positions": "alibi", "pool": "mean", "lookback": lookback})
    assert checks["permutation_mean"].passed, checks["permutation_mean"].detail


@pytest.mark.parametrize("spread", [0.0, 5.0])
def test_when_the_target_hardly_varies_then_order_is_tested_all_the_same(panel, monkeypatch, spread):
    flat = replace(panel, y=1e6 + spread * (panel.y - panel.y.mean()) / panel.y.std())
    asked = {"last": {"positions": "none"}, "mean": {"pool": "mean"}}
    assert all(check.passed for check in found(flat, **asked).values())

    forward = TransformerEncoder.forward

    def ordered(self, windows):
        return forward(self, windows) + 0.01 * windows[:, :1, 0]

    monkeypatch.setattr(TransformerEncoder, "forward", ordered)
    assert not found(flat, **asked)["permutation_last"].passed


@pytest.mark.parametrize("own", [{"causal": True}, {"patch_length": 3}, {"pool": "flatten"}])
def test_when_the_order_is_known_without_positions_then_nothing_is_claimed(panel, own):
    assert found(panel, one={"positions": "none", **own}) == {}


def test_when_only_one_read_out_is_declared_then_only_its_check_runs(panel):
    assert list(found(panel, last={})) == ["permutation_last"]
    assert list(found(panel, mean={"pool": "mean"})) == ["permutation_mean"]
    assert found(panel, short={"lookback": 2}) == {}


def test_when_order_leaks_in_without_positions_then_both_checks_fail(panel, monkeypatch):
    forward = TransformerEncoder.forward

    def ordered(self, windows):
        ramp = torch.linspace(0, 1, windows.shape[1])[None, :, None]
        return forward(self, windows + ramp)

    monkeypatch.setattr(TransformerEncoder, "forward", ordered)
    checks = found(panel, last={"positions": "none"}, mean={"positions": "none", "pool": "mean"})
    assert not checks["permutation_last"].passed
    assert "permuting the earlier periods moved the forecast" in checks["permutation_last"].detail
    assert not checks["permutation_mean"].passed


def test_when_the_last_position_is_not_what_is_read_then_the_check_fails(panel, monkeypatch):
    def make(self, windows):
        return self.head(self.positions(self.embed(windows)).mean(dim=1))

    monkeypatch.setattr(TransformerEncoder, "forward", make)
    check = found(panel, last={"positions": "none"})["permutation_last"]
    assert "moving the last period did not move the forecast" in check.detail


def test_when_positions_do_nothing_then_the_control_fails(panel, monkeypatch):
    monkeypatch.setattr("panelbench.models.transformer.model.make_positions", lambda *_: nn.Identity())
    checks = found(panel, last={}, mean={"pool": "mean"})
    assert not checks["permutation_last"].passed
    assert "sinusoidal positions, 6 periods: permuting did not move" in checks["permutation_mean"].detail


def test_when_several_share_an_architecture_then_it_is_trained_once_a_kind_of_position():
    experiments = declared(
        a={}, b={"epochs": 9}, c={"positions": "learned"}, d={"positions": "none"}, e={"width": 16}
    )
    variants = permutation._variants(list(experiments.values()))
    assert [(one.width, one.positions) for one in variants] == [
        (8, "none"), (8, "sinusoidal"), (8, "learned"), (16, "none"), (16, "sinusoidal"),
    ]  # fmt: skip
