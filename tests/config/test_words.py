from __future__ import annotations

import difflib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from panelbench.config.words import choices, describe, nearest, number_hint, short

NAMES = st.lists(st.text("abcdef", min_size=1, max_size=8), max_size=8)


@given(st.text("abcdef", max_size=8), NAMES)
def test_nearest_when_names_are_few_then_difflib_would_find_the_same(name: str, allowed: list[str]) -> None:
    close = difflib.get_close_matches(name, allowed, n=1, cutoff=0.6)
    assert nearest(name, allowed) == (f" Did you mean '{close[0]}'?" if close else "")


def test_nearest_when_a_part_of_a_name_is_given_then_the_shortest_whole_name_is_found() -> None:
    allowed = ("transformer_encoder_decoder", "transformer_decoder", "transformer")
    assert nearest("decoder", allowed) == " Did you mean 'transformer_decoder'?"
    assert nearest("coder", allowed) == ""


@pytest.mark.parametrize("text", ["1e-3", "1e9", "1.0e9", "2.5E10", "-1e-7", ".5e3", "1e-10"])
def test_number_hint_when_yaml_sees_text_then_what_it_suggests_is_that_number(
    text: str,
) -> None:
    assert isinstance(yaml.safe_load(text), str)
    suggestions = number_hint(text).partition("so write ")[2].split(" or ")
    assert suggestions
    assert all(yaml.safe_load(one) == pytest.approx(float(text)) for one in suggestions)


@pytest.mark.parametrize("text", ["fast", "", "nan", "inf", "1e400", "1,5"])
def test_number_hint_when_text_is_no_number_then_none_is_suggested(text: str) -> None:
    assert number_hint(text) == "this is text, and a number is needed"


def test_messages_when_there_is_very_much_then_they_stay_short() -> None:
    assert len(choices(f"name_{number}" for number in range(100_000))) < 1000
    assert "99,940 more" in choices(f"name_{number}" for number in range(100_000))
    assert len(describe({"a": ["x" * 10_000] * 100})) < 120
    assert len(short(ValueError("x\n" * 10_000))) <= 160
