"""How spread out attention is, in words and figures."""

from __future__ import annotations

import numpy as np
import pytest

from panelbench.report.sections import entropy
from panelbench.report.stored import Attention


def attention(used: float, without: float | None) -> Attention:
    shape = (3, 2, 4)
    weights = np.full((*shape, 5, 5), 0.2, np.float32)
    layers, heads = np.array([[-0.05], [0.05]]), np.array([-0.02, -0.01, 0.01, 0.02])
    values = np.broadcast_to(used + layers + heads, shape)
    unscaled = None if without is None else without + np.zeros(shape)
    return Attention(weights, np.arange(3), weights[:0, 0], (), (), values, unscaled)


@pytest.mark.parametrize(
    ("without", "said"), [(0.4, "keeps attention broad"), (0.8, "hardly matters"), (0.95, "against the rule")]
)
def test_when_the_scaling_is_taken_out_then_the_sentence_says_what_it_does(without: float, said: str) -> None:
    text = entropy.build(attention(0.8, without), "week")
    assert said in text
    assert "80% of the largest possible" in text
    assert f"| 1 | 75% (73% to 77%) | {round(100 * without)}%" in text
    assert "spread evenly over all weeks" in text
    assert "3 seeds" in text


def test_when_a_file_has_no_entropies_then_nothing_is_said() -> None:
    assert entropy.build(attention(0.8, None), "week") == ""
