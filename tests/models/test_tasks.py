"""Questions that span horizons or rest on a leaking split are refused before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from panelbench.config import Settings, parse
from panelbench.errors import InputError
from panelbench.models.registry import resolve

EXPERIMENTS: dict[str, dict[str, Any]] = {
    "rnn": {"model": "rnn"},
    "lstm": {"model": "lstm"},
    "rnn_far": {"model": "rnn", "horizon": 3},
    "lstm_far": {"model": "lstm", "horizon": 3, "strategy": "recursive"},
    "leaky": {"model": "rnn", "horizon": 3, "boundary": "windows", "validation_steps": 0},
}


def settings(**groups: Any) -> Settings:
    content = {"panel": {"source": "synthetic"}, "seeds": [0], "experiments": EXPERIMENTS}
    return parse(Settings, {**content, **groups}, "")


def protocol(**roles: str) -> dict[str, Any]:
    return {"roles": list(roles), "protocols": {"base": {"title": "Base", "experiments": roles}}}


def test_when_horizons_stand_side_by_side_then_they_are_taken() -> None:
    ablations = {
        "cell": {"baseline": "rnn", "variants": ["lstm"]},
        "mode": {"baseline": "rnn_far", "variants": ["lstm_far"]},
    }
    found = resolve(settings(ablations=ablations, robustness=protocol(a="rnn_far", b="lstm_far")))
    assert {name: one.mode for name, one in found.items() if one.horizon > 1} == {
        "rnn_far": "direct",
        "lstm_far": "recursive",
        "leaky": "direct",
    }


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"ablations": {"q": {"baseline": "rnn", "variants": ["lstm", "rnn_far"]}}},
         r"ablations\.q compares 'rnn' \(horizon 1\) with 'rnn_far' \(horizon 3\).*one horizon"),
        ({"robustness": protocol(a="rnn", b="rnn_far")}, r"protocols\.base compares 'rnn' .*'rnn_far'"),
        ({"ablations": {"q": {"baseline": "rnn_far", "variants": ["leaky"]}}}, r"q .*'leaky'.*leak"),
        ({"robustness": protocol(a="rnn_far", b="leaky")}, r"protocols\.base .*'leaky'.*leaks"),
        ({"compare": {"reference": "leaky"}}, r"compare\.reference names 'leaky'.*leaks"),
    ],
)  # fmt: skip
def test_when_a_question_cannot_be_answered_soundly_then_key_reason_and_remedy_are_named(
    groups: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        resolve(settings(**groups))
