"""Large panels are audited on a sample, which is said."""

from __future__ import annotations

import numpy as np

from panelbench.audit import sample
from panelbench.audit.result import Check
from tests.helpers.panels import make_panel


def test_when_the_panel_is_large_then_evenly_spaced_series_are_audited_and_every_check_says_so(monkeypatch):
    monkeypatch.setattr(sample, "LARGEST", 3)
    panel = make_panel(series=7, steps=30, season=13)
    check = Check("id", "title", "disturbed", "must hold", True, "Found nothing.", 1)

    audited = sample.sampled(panel)

    assert audited.series == (panel.series[0], panel.series[3], panel.series[6])
    np.testing.assert_array_equal(audited.y, panel.y[[0, 3, 6]])
    np.testing.assert_array_equal(audited.future, panel.future[[0, 3, 6]])
    assert (audited.info.n_series, audited.info.n_rows) == (3, 90)
    assert list(audited.static.iloc[:, 0]) == list(panel.static.iloc[[0, 3, 6], 0])
    assert "3 of the panel's 7 series" in sample.said([check], audited, panel)[0].detail


def test_when_the_panel_is_small_then_all_of_it_is_audited():
    panel = make_panel(series=5, steps=30, season=13)
    check = Check("id", "title", "disturbed", "must hold", True, "Found nothing.", 1)

    assert sample.sampled(panel) is panel
    assert sample.said([check], panel, panel) == [check]
