"""Parameters part by part."""

from __future__ import annotations

import pytest

from panelbench.models import registry
from panelbench.models.accounting import parameters_by_part
from tests.models.small import TRANSFORMERS, settings, task

ARCHITECTURES = [
    *((model, {}) for model in sorted(registry.MODELS)),
    ("ols", {"strategy": "recursive"}),
    ("rnn", {"layers": 2}),
    ("lstm", {"layers": 3, "strategy": "recursive"}),
    ("cnn", {"head": "avgpool"}),
    ("transformer", {"implementation": "library", "norm": "pre", "positions": "learned"}),
    ("transformer", {"revin": True, "patch_length": 4, "pool": "flatten", "mixing": "independent"}),
    *((model, {"positions": "learned", "norm": "pre", "layers": 2}) for model in TRANSFORMERS),
]


def parts_of(model, own):
    experiment = settings(model, horizon=2, **own)
    forecaster = registry.build(experiment, 0)
    forecaster.fit(task(experiment).train, None)
    return parameters_by_part(forecaster), forecaster.n_parameters()


@pytest.mark.parametrize(("model", "own"), ARCHITECTURES)
def test_when_parameters_are_counted_by_part_then_they_sum_to_the_models_count(model, own):
    parts, count = parts_of(model, own)

    assert sum(parts.values()) == (count or 0)
    assert all(size > 0 for size in parts.values())
    # Whatever no rule knows is named after its submodule, as in "body.0": nothing of ours should be.
    assert not [part for part in parts if "." in part or "_" in part]


def test_when_a_transformer_is_taken_apart_then_each_block_is_the_textbooks():
    parts, _ = parts_of("transformer", {"width": 8, "heads": 2, "feed_forward": 32, "positions": "learned"})

    assert parts == {
        "embedding": 4 * 8 + 8,
        "positions": 8 * 8,
        "encoder layer 1: self-attention projections": 4 * (8 * 8 + 8),
        "encoder layer 1: feed-forward": (8 * 32 + 32) + (32 * 8 + 8),
        "encoder layer 1: norms": 4 * 8,
        "encoder layer 2: self-attention projections": 4 * (8 * 8 + 8),
        "encoder layer 2: feed-forward": (8 * 32 + 32) + (32 * 8 + 8),
        "encoder layer 2: norms": 4 * 8,
        "head": 8 * 2 + 2,
    }


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("ols", {"coefficients"}),
        ("dlinear", {"trend layer", "remainder layer"}),
        ("cnn", {"convolution 1", "convolution 2", "head"}),
        ("ffn", {"hidden layer 1", "hidden layer 2", "head"}),
        ("lstm", {"layer 1: input weights", "layer 1: recurrent weights", "layer 1: biases", "head"}),
        ("xgboost", set()),
        ("last_value", set()),
    ],
)
def test_when_another_model_is_taken_apart_then_its_parts_have_plain_names(model, expected):
    assert set(parts_of(model, {})[0]) == expected


def test_when_both_implementations_are_taken_apart_then_they_have_the_same_parts():
    own = {"norm": "pre", "positions": "learned"}

    assert parts_of("transformer", own) == parts_of("transformer", {**own, "implementation": "library"})
