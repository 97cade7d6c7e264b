from __future__ import annotations

import pytest

from panelbench.report import pairs
from panelbench.report.data import ReportData


def test_a_pair_seen_from_the_other_side_has_the_opposite_difference(data: ReportData) -> None:
    there, back = pairs.find(data, "rnn", "transformer"), pairs.find(data, "transformer", "rnn")
    assert there.difference == -back.difference
    assert there.periods == (-back.periods[1], -back.periods[0])
    assert there.seeds == (-back.seeds[1], -back.seeds[0])


def test_the_difference_is_that_of_the_means(data: ReportData) -> None:
    found = pairs.find(data, "rnn", "lasso")
    assert found.difference == pytest.approx(data.mean("rnn") - data.mean("lasso"))


def test_a_pair_that_does_not_exist_is_none(data: ReportData) -> None:
    assert pairs.find(data, "rnn", "rnn") is None


def test_ties_are_what_the_comparison_does_not_separate(data: ReportData) -> None:
    tied = set(pairs.tied_with(data, data.best))
    letters = set(data.experiments[data.best].group)
    assert tied == {
        name for name, entry in data.finished.items() if name != data.best and letters & set(entry.group)
    }


def test_doubt_names_what_could_turn_a_difference_round(data: ReportData) -> None:
    for pair in data.comparison.pairs:
        found = pairs.view(pair, pair.a)
        said = pairs.doubt(found, "week")
        assert bool(said) != found.separable
        if "target periods could turn" in pair.why:
            assert said == "other weeks could turn it round"
        if "other seeds could turn" in pair.why:
            assert said == "other seeds could turn it round"
