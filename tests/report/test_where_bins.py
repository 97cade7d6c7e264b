"""Very many test periods are drawn by the season."""

from __future__ import annotations

import numpy as np
import pytest

from panelbench.report.sections.where import LONG, bin_length, by_bins


@pytest.mark.parametrize(
    ("periods", "season", "length"),
    [(LONG, 24, 1), (800, 24, 24), (800, 0, 4), (100_000, 24, 504)],
)
def test_bins_are_whole_seasons_and_few_enough(periods: int, season: int, length: int) -> None:
    assert bin_length(periods, season) == length
    assert periods / length <= LONG


def test_a_bin_is_the_root_mean_square_and_the_last_takes_what_is_left() -> None:
    found = by_bins(np.array([3.0, 4.0, 1.0, 1.0, 1.0]), 2)
    assert found == pytest.approx([np.sqrt(12.5), 1.0])
    assert by_bins(np.array([2.0, 5.0]), 1) == pytest.approx([2.0, 5.0])
