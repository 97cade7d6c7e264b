"""Where a model's parameters are: counts block by block that sum to the whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from panelbench.models.base import Forecaster

BLOCKS: dict[str, str] = {
    "self_attn": "self-attention projections",
    "multihead_attn": "cross-attention projections",
    "linear": "feed-forward",
    "norm": "norms",
}
"""Blocks of a Transformer layer by the start of their name, which is the library's."""
WHOLES: Mapping[str, str] = {
    "revin": "reversible normalisation",
    "embed": "embedding",
    "embed_decoder": "decoder embedding",
    "start": "start token",
    "positions": "positions",
    "trend": "trend layer",
    "remainder": "remainder layer",
    "head": "head",
}
"""Parts of a network by the attribute that holds them."""
LAYER = re.compile(r"(encoder|decoder)\.layers\.(\d+)\.([a-z_]+)")
RECURRENT = re.compile(r"body\.(weight_ih|weight_hh|bias)\w*_l(\d+)")
WEIGHTS = {"weight_ih": "input weights", "weight_hh": "recurrent weights", "bias": "biases"}
STACKED = re.compile(r"(body|layers)\.(\d+)\.")
STACKS = {"body": "convolution", "layers": "hidden layer"}


def parameters_by_part(model: Forecaster) -> dict[str, int]:
    """Return the number of parameters of each part of a fitted model, in the order of computation.

    They sum to `n_parameters()`. A network's parts are its blocks; linear models have their coefficients,
    and models without a count nothing.
    """
    module = getattr(model, "module", None)
    if module is None:
        count = model.n_parameters()
        return {"coefficients": count} if count else {}
    return count_parts(module)


def count_parts(module: Any) -> dict[str, int]:
    """Return the same of a `torch.nn.Module`; what no rule knows goes by the name of its submodule."""
    sizes = {name: int(parameter.numel()) for name, parameter in module.named_parameters()}
    places: dict[str, list[str]] = {"body": [], "layers": []}
    for name in sizes:
        if (found := STACKED.match(name)) and found[2] not in places[found[1]]:
            places[found[1]].append(found[2])
    parts: dict[str, int] = {}
    for name, size in sizes.items():
        part = part_of(name, places)
        parts[part] = parts.get(part, 0) + size
    return parts


def part_of(name: str, places: Mapping[str, list[str]]) -> str:
    """Return the part that a parameter belongs to.

    Parameters
    ----------
    name
        As in `named_parameters`.
    places
        The numbers, in order, of the members of each stack that have parameters.
    """
    if found := LAYER.match(name):
        block = next((words for start, words in BLOCKS.items() if found[3].startswith(start)), found[3])
        if name.endswith("self_attn.earlier"):
            block = "self-attention convolutions"
        return f"{found[1]} layer {int(found[2]) + 1}: {block}"
    if found := re.match(r"(encoder|decoder)\.norm\.", name):
        return f"{found[1]}: final norm"
    if found := RECURRENT.match(name):
        return f"layer {int(found[2]) + 1}: {WEIGHTS[found[1]]}"
    if found := STACKED.match(name):
        return f"{STACKS[found[1]]} {places[found[1]].index(found[2]) + 1}"
    return WHOLES.get(name.partition(".")[0], name.rpartition(".")[0] or name)
