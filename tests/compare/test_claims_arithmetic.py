from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelbench.compare.claims.arithmetic import evaluate


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.7 ** 26", 9.387480337647763e-05),
        ("5 + 3 - 1", 7),
        ("(512 / 32) ** 2", 256),
        ("-2 + +3", 1),
        ("1e-9", 1e-9),
    ],
)
def test_when_it_is_arithmetic_then_the_value_is_right(text, value):
    assert evaluate(text) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')", "x + 1", "abs(-1)", "1 if 2 else 3", "'a' * 3", "True + 1", "1j", "[1][0]",
        "1 / 0", "10.0 ** 400", "2 ** 100000", "(-8) ** 0.5", "1 +", "", "1 < 2", "(" * 150, "1" * 400,
    ],
)  # fmt: skip
def test_when_it_is_anything_else_then_it_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        evaluate(text)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_when_two_numbers_are_added_then_it_agrees_with_python(one, other):
    assert evaluate(f"({one!r}) + ({other!r})") == one + other
