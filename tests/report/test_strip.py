from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelbench.report import strip
from panelbench.report.colours import looks

LOOK = looks({"rnn": "rnn"})["rnn"]


def _row(mean: float, *seeds: float, low: float | None = None, high: float | None = None) -> strip.Row:
    return strip.Row(mean, seeds or (mean,), low, high)


def test_the_axis_holds_every_seed_of_the_models_near_the_best() -> None:
    rows = [_row(100, 95, 105), _row(180, 150, 210), _row(900)]
    axis = strip.make_axis(rows, [900.0, 160.0])
    assert all(axis.holds(value) for value in (95, 105, 150, 210))
    assert not axis.holds(900)
    assert axis.references == (160.0,)


def test_a_model_beyond_the_axis_gets_an_arrow_and_no_dot() -> None:
    axis = strip.make_axis([_row(100), _row(900)], [])
    far = strip.strip(_row(900), axis, LOOK)
    assert "circle" not in far
    assert far.count("<path") == 1


def test_every_seed_is_a_tick_and_the_mean_a_dot() -> None:
    row = _row(100, 90, 100, 110, low=85, high=115)
    axis = strip.make_axis([row], [])
    image = strip.strip(row, axis, LOOK)
    assert image.count("stroke-opacity") == 3
    assert image.count("<circle") == 1


def test_a_single_run_is_a_diamond_without_an_interval() -> None:
    row = _row(100)
    image = strip.strip(row, strip.make_axis([row], []), LOOK)
    assert "<circle" not in image
    assert "stroke-opacity" not in image


def test_an_absurd_interval_does_not_stretch_the_axis() -> None:
    axis = strip.make_axis([_row(100, 99, 101, low=-5000, high=5200)], [])
    assert axis.high < 110
    assert axis.low > 90


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=8))
def test_any_errors_give_valid_pictures(means: list[float]) -> None:
    rows = [_row(mean, mean, mean * 1.1) for mean in means]
    axis = strip.make_axis(rows, means[:1])
    assert axis.high > axis.low
    for image in (
        strip.header(axis, "RMSE (<units>)"),
        strip.failed(),
        *(strip.strip(row, axis, LOOK) for row in rows),
    ):
        root = ElementTree.fromstring(image)  # noqa: S314 - our own file
        assert "nan" not in image
        assert root.attrib["viewBox"].startswith("0 0 ")


def test_all_strips_share_one_scale() -> None:
    rows = [_row(100), _row(200)]
    axis = strip.make_axis(rows, [])
    assert axis.x(200) - axis.x(150) == pytest.approx(axis.x(150) - axis.x(100))
