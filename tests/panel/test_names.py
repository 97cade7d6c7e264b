from __future__ import annotations

import pytest

from panelbench.panel.names import alike, composed, fault, other_case


@pytest.mark.parametrize("name", ["a", "store 1", "Z\u00fcrich", "-5", "+3.25", "007", "<b>", "n" * 200])
def test_fault_when_a_name_is_one_short_line_then_there_is_none(name: str) -> None:
    assert fault(name) is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *((name, "as a formula") for name in ("=1", "@SUM(A1)", "+a", "-1+1", "=cmd|' /C calc'!A0")),
        *((name, "one line") for name in ("a\nb", "a\0", "\x1b[1m", "\u202ea", "\u2028", "n" * 201)),
    ],
)
def test_fault_when_a_name_would_run_or_break_a_page_then_it_is_said(name: str, reason: str) -> None:
    assert reason in str(fault(name))


def test_fault_when_a_name_stands_in_no_table_then_it_may_begin_as_a_formula() -> None:
    assert fault("=1", shown_in_tables=False) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("a b", "a\u00a0b"), ("ab", "a\u200bb"), ("a  b", "a b"), ("\u00e9", "e\u0301"), ("x", "x\ufeff")],
)
def test_alike_when_two_names_look_the_same_then_they_are_named(one: str, other: str) -> None:
    assert alike(["z", one, other]) == (one, other)


def test_alike_when_names_differ_to_the_eye_then_there_is_none() -> None:
    assert alike(["a", "A", "a_b", "a b", "7", "007", "m2", "m\u00b2"]) is None


def test_composed_when_an_accent_stands_alone_then_it_joins_its_letter() -> None:
    assert composed("cafe\u0301") == "caf\u00e9"


def test_other_case_when_names_differ_in_capitals_or_blanks_then_it_is_found() -> None:
    assert other_case("Store A", ["store b", "storea", "Store A"]) == "storea"
    assert other_case("x", ["x", "y"]) is None
