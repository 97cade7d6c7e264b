"""How spread out attention is, and what the scaling of its scores does to that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from panelbench.report import words
from panelbench.report.section import table
from panelbench.report.stored import Attention

Float = NDArray[np.float64]
CLEAR = 0.02
"""Shares of the largest entropy that are closer than this count as alike."""


def build(found: Attention, token: str) -> str:
    """Return a sentence and a small table; empty where the file has no entropies.

    Parameters
    ----------
    token
        What attention is spread over, such as "week".
    """
    used, without = found.entropy, found.entropy_unscaled
    if used is None or without is None or not used.size:
        return ""
    layers = [
        [str(layer + 1), _cell(used[:, layer]), _cell(without[:, layer])] for layer in range(used.shape[1])
    ]
    header = ["Layer", "Divided", "Not divided"]
    seeds = words.plural(len(found.seeds), "seed")
    return (
        f"**Spread of attention.** {_sentence(float(used.mean()), float(without.mean()))}\n\n"
        + table(header, layers, "lrr")
        + "\nEntropy of a row of attention weights as a share of the largest possible, which is that of "
        f"attention spread evenly over all {words.plural_of(token)}; 0% is all attention on one. Mean over "
        f"test windows, positions, heads and {seeds}; in brackets the lowest and the highest head."
    )


def _sentence(used: float, without: float) -> str:
    start = (
        "A head's scores are divided by the square root of its width before the softmax turns them into "
        "weights"
    )
    figures = (
        f"the entropy of attention is {words.percent(used)} of the largest possible, and "
        f"{words.percent(without)} with the division taken out of the same trained weights"
    )
    if without < used - CLEAR:
        return f"{start}, which keeps attention broad: {figures}."
    if without > used + CLEAR:
        return f"{start}; here that sharpens attention, against the rule: {figures}."
    return f"{start}; here that hardly matters: {figures}."


def _cell(values: Float) -> str:
    """Return the mean over seeds and heads, and the range of single heads."""
    text = words.percent(float(values.mean()))
    if values.size == 1:
        return text
    return f"{text} ({words.percent(float(values.min()))} to {words.percent(float(values.max()))})"
