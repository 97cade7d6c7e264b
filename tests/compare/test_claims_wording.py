from __future__ import annotations

import pytest

from panelbench.compare.claims import wording


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (744, "value", "744"),
        (1032.4, "value", "1,032"),
        (866.83, "value", "866.8"),
        (0.0646, "value", "0.0646"),
        (9.3875e-5, "value", "9.39e\N{MINUS SIGN}5"),
        (2e-6, "value", "2e\N{MINUS SIGN}6"),
        (0, "value", "0"),
        (-0.65, "share", "\N{MINUS SIGN}65%"),
        (17985.0, "count", "17,985"),
    ],
)
def test_when_a_figure_is_written_then_it_has_four_digits_and_separators(value, kind, text):
    assert wording.figure(value, kind) == text


def test_when_an_interval_is_written_then_it_is_rounded_to_its_width():
    assert wording.interval(802.21, 912.19) == "802 to 912"
    assert wording.interval(-1.234, 0.5) == "\N{MINUS SIGN}1.23 to 0.50"
    assert wording.interval(0.1, 0.3, "share") == "10% to 30%"
    assert wording.interval(1.0, 1.0) == "1.0000 to 1.0000"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-0.3, 66.0, "\N{MINUS SIGN}0.3 to 66.0"),
        (-66.0, 0.04, "\N{MINUS SIGN}66.00 to 0.04"),
        (0.0, 66.0, "0 to 66"),
        (-1e-12, 66.0, "0.00000000 to 66.00000000"),
    ],
)
def test_when_an_end_would_be_rounded_to_zero_then_its_side_of_zero_still_shows(low, high, text):
    assert wording.interval(low, high) == text


def test_when_a_difference_is_written_then_its_sign_shows():
    assert [wording.signed(value) for value in (3.0, -3.0, 0.0)] == ["+3", "\N{MINUS SIGN}3", "0"]
