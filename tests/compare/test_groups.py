"""The rule for telling two experiments apart, and letters that follow it exactly."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelbench.compare.groups import letters, separate
from panelbench.compare.schema import PeriodInterval, SeedPair


def periods(low: float | None, high: float | None) -> PeriodInterval:
    return PeriodInterval(
        estimate=0.0, family_low=low, family_high=high, reason=None if low is not None else "short"
    )


def seeds(mean: float | None, p: float | None) -> SeedPair:
    return SeedPair(n=6 if mean is not None else 0, mean=mean, p_t_holm=p, reason="one seed")


CASES = [
    # periods, seeds (mean, p after Holm), needs seeds -> the more accurate one or None
    ((-2.0, -1.0), (-1.5, 0.01), True, "a"),
    ((1.0, 2.0), (1.5, 0.01), True, "b"),
    ((-2.0, 1.0), (-1.5, 0.01), True, None),
    ((-2.0, -1.0), (-1.5, 0.06), True, None),
    ((-2.0, -1.0), (1.5, 0.01), True, None),
    ((-2.0, -1.0), (None, None), True, None),
    ((-2.0, -1.0), (None, None), False, "a"),
    ((1.0, 2.0), (None, None), False, "b"),
    ((0.0, 0.0), (1.5, 0.01), True, None),
    ((0.0, 2.0), (1.5, 0.01), True, None),
    ((None, None), (1.5, 0.01), True, None),
]


@pytest.mark.parametrize(("interval", "by_seed", "needs_seeds", "better"), CASES)
def test_when_both_uncertainties_are_known_then_the_rule_decides(interval, by_seed, needs_seeds, better):
    separable, winner, why = separate("a", "b", seeds(*by_seed), periods(*interval), needs_seeds, 0.05)
    assert (separable, winner) == (better is not None, better)
    assert why.startswith("Separable" if separable else "Not separable")


def test_when_p_equals_the_level_then_the_seeds_separate():
    assert separate("a", "b", seeds(-1.0, 0.05), periods(-2, -1), True, 0.05)[0]


def test_when_nothing_is_separable_then_all_share_one_letter():
    assert letters(["x", "y", "z"], []) == {"x": "a", "y": "a", "z": "a"}


def test_when_everything_is_separable_then_each_has_its_own_letter():
    assert letters(["x", "y", "z"], combinations("xyz", 2)) == {"x": "a", "y": "b", "z": "c"}


def test_when_the_middle_is_like_both_ends_then_it_carries_both_letters():
    assert letters(["x", "y", "z"], [("z", "x")]) == {"x": "a", "y": "ab", "z": "b"}


def test_when_likeness_is_not_a_chain_then_letters_still_fit():
    # x~z, x~w, y~w, y~z; x and y differ, z and w differ
    assert letters(["x", "y", "z", "w"], [("x", "y"), ("z", "w")]) == {
        "x": "ab",
        "y": "cd",
        "z": "ac",
        "w": "bd",
    }


def test_when_there_are_no_models_or_one_then_letters_are_plain():
    assert letters([], []) == {}
    assert letters(["only"], []) == {"only": "a"}


def test_when_there_are_more_groups_than_letters_then_marks_stay_distinct():
    names = [f"m{i:03d}" for i in range(60)]
    marks = letters(names, combinations(names, 2))
    assert len(set(marks.values())) == 60
    assert marks["m000"] == "a"


@given(st.integers(1, 7), st.data())
def test_when_any_pairs_are_separable_then_two_share_a_letter_exactly_if_they_are_not(n, data):
    names = [f"m{i}" for i in range(n)]
    possible = list(combinations(names, 2))
    separable = set(data.draw(st.lists(st.sampled_from(possible), unique=True))) if possible else set()
    marks = letters(names, separable)
    for pair in possible:
        assert bool(set(marks[pair[0]]) & set(marks[pair[1]])) == (pair not in separable)
    assert all(marks.values())
    assert "a" in marks[names[0]]
