"""The measured cost of a step: one process a length, every figure there."""

from __future__ import annotations

import math

import pytest

from panelbench.errors import RunFailure
from panelbench.models.cost import measure


def test_when_two_lengths_are_measured_then_the_longer_window_needs_more_memory():
    short, long = measure(["transformer"], [16, 256])

    assert (short.windows, long.windows) == (128, 64)
    assert short.seconds > 0 and long.seconds > 0  # noqa: PT018 - both are times
    if not math.isnan(long.mib):
        assert long.mib > short.mib  # 256 times the scores


def test_when_it_cannot_be_measured_then_the_model_and_length_are_named():
    with pytest.raises(RunFailure, match="cost of transformer at -1 periods"):
        measure(["transformer"], [-1])
