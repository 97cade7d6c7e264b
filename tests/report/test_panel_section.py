"""What the section on the panel computes for itself."""

from __future__ import annotations

import numpy as np
import pytest

from panelbench.report.data import ReportData
from panelbench.report.sections import panel


def test_the_share_of_variance_between_series_is_that_of_their_means() -> None:
    y = np.array([[1.0, 3.0], [11.0, 13.0]])
    assert panel.between_share(y) == pytest.approx(25 / 26)
    assert panel.between_share(np.ones((2, 3))) == 0.0


def test_autocorrelation_of_an_alternating_series_is_negative() -> None:
    y = np.tile([1.0, -1.0], 50)[None]
    assert panel.autocorrelation(y, 1) == pytest.approx(-0.99)
    assert panel.autocorrelation(y, 2) == pytest.approx(0.98)
    assert panel.autocorrelation(y, 99) is None


def test_series_are_chosen_from_the_largest_to_the_smallest(data: ReportData) -> None:
    chosen = panel.by_size(data.panel, 3)
    means = data.panel.y.mean(axis=1)[chosen]
    assert means[0] == data.panel.y.mean(axis=1).max()
    assert means[-1] == data.panel.y.mean(axis=1).min()
    assert (np.diff(means) < 0).all()
