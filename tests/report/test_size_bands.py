"""Models of one size side by side: nobody may read their places as sizes."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from panelbench.report.sections import size_bands
from panelbench.report.theme import WIDE

POINTS = [(110_424.0, 0.5), (110_808.0, 0.4), (2_328.0, 0.45), (110_680.0, 0.3), (4_656.0, 0.44)]


def test_counts_that_nearly_agree_are_one_size() -> None:
    assert size_bands.clusters([x for x, _ in POINTS]) == [[2], [4], [0, 3, 1]]


def test_points_of_one_size_stand_apart_and_others_stay_where_they_are() -> None:
    step = size_bands.step(POINTS, WIDE)
    placed = size_bands.dodge(POINTS, step)
    assert [placed[i] for i in (2, 4)] == [POINTS[i] for i in (2, 4)]
    near = sorted(placed[i][0] for i in (0, 1, 3))
    assert near[1] / near[0] > 0.98 * step
    assert near[2] / near[0] < size_bands.WIDEST
    assert [y for _, y in placed] == [y for _, y in POINTS]


@pytest.mark.parametrize(("points", "texts"), [(POINTS, ["110,424 to 110,808"]), (POINTS[2:4], [])])
def test_a_band_has_its_counts_at_its_foot(points: list[tuple[float, float]], texts: list[str]) -> None:
    axes = Figure().subplots()
    axes.set_xscale("log")
    axes.set_ylim(0.2, 0.6)
    step = size_bands.step(points, WIDE)
    size_bands.paint(axes, points, size_bands.dodge(points, step), step)
    assert [text.get_text() for text in axes.texts] == texts
    assert (axes.get_ylim()[0] < 0.2) == bool(texts)
