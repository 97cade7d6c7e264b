"""Families of pairs: who is compared with whom, and over what the adjustment is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from panelbench.compare.blocks import draw_rmse
from panelbench.compare.pairs import Comparer, turned
from panelbench.config.settings import AblationSettings, CompareSettings


@pytest.fixture
def comparer(make_scores):
    rng = np.random.default_rng(0)
    settings = CompareSettings(resamples=200, block_length=2)
    scores = []
    for place, name in enumerate("abcd"):
        squared = (1.0 + place) ** 2 * (1 + 0.1 * rng.random((6, 20)))
        scores.append(make_scores(name, np.sqrt(squared.mean(axis=1)), squared=squared))
    return Comparer(scores, draw_rmse(scores, 2, 200, 0), 1, settings)


def test_when_all_pairs_are_compared_then_the_better_placed_comes_first(comparer):
    pairs = comparer.all_pairs()
    assert [(pair.a, pair.b) for pair in pairs] == [
        ("a", "b"),
        ("a", "c"),
        ("a", "d"),
        ("b", "c"),
        ("b", "d"),
        ("c", "d"),
    ]
    assert all(pair.difference < 0 and pair.better == pair.a for pair in pairs)
    assert {pair.seeds.family for pair in pairs} == {6}


def test_when_compared_with_a_reference_then_the_family_is_the_others(comparer):
    pairs = comparer.against("b")
    assert [(pair.a, pair.b) for pair in pairs] == [("a", "b"), ("c", "b"), ("d", "b")]
    assert [pair.difference > 0 for pair in pairs] == [False, True, True]
    assert {pair.seeds.family for pair in pairs} == {3}


def test_when_a_pair_is_turned_round_then_every_sign_turns(comparer):
    one, other = comparer.family([("a", "b")])[0], comparer.family([("b", "a")])[0]
    assert one.difference == -other.difference
    assert one.seeds.mean == -other.seeds.mean
    assert one.dm.statistic == pytest.approx(-other.dm.statistic)
    assert one.improvement.estimate == pytest.approx(1 - other.improvement.estimate)
    assert one.better == other.better == "a"


def test_when_a_variant_did_not_finish_then_it_is_named_and_the_others_are_compared(comparer):
    ablation = comparer.ablation(AblationSettings(baseline="a", variants=("b", "gone", "c")))
    assert [pair.a for pair in ablation.variants] == ["b", "c"]
    assert ablation.missing == ("gone",)
    assert {pair.seeds.family for pair in ablation.variants} == {2}


def test_when_the_baseline_did_not_finish_then_nothing_is_compared(comparer):
    ablation = comparer.ablation(AblationSettings(baseline="gone", variants=("b",)))
    assert (ablation.variants, ablation.missing) == ((), ("gone",))


def test_when_five_variants_share_seeds_then_it_is_said_which_differ_from_which(make_scores):
    """One clearly worse, four alike: Holm over the 4 comparisons with the baseline, and over all 10 pairs."""
    rng = np.random.default_rng(2)
    weeks, by_seed = rng.random((1, 40)), rng.normal(size=(6, 1))
    levels = {"none": 4.0, "rotary": 2.0, "sinusoidal": 2.0, "learned": 2.0, "alibi": 2.0}
    scores = []
    for name, level in levels.items():
        squared = (level + 0.02 * by_seed + 0.05 * rng.normal(size=(6, 40)) + 0.1 * weeks) ** 2
        scores.append(make_scores(name, np.sqrt(squared.mean(axis=1)), squared=squared))
    comparer = Comparer(scores, draw_rmse(scores, 4, 200, 0), 1, CompareSettings(resamples=200))
    variants = ("none", "learned", "rotary", "alibi")
    ablation = comparer.ablation(AblationSettings(baseline="sinusoidal", variants=variants))
    assert [(pair.a, pair.b) for pair in ablation.variants] == [(name, "sinusoidal") for name in variants]
    assert {pair.seeds.family for pair in ablation.variants} == {4}
    assert {pair.seeds.family for pair in ablation.pairs} == {10}
    assert {pair.a for pair in ablation.variants if pair.separable} == {"none"}
    assert {frozenset((pair.a, pair.b)) for pair in ablation.pairs if pair.separable} == {
        frozenset(("none", other)) for other in levels if other != "none"
    }
    assert {name for name, letter in ablation.groups.items() if letter == ablation.groups["sinusoidal"]} == {
        "sinusoidal", "learned", "rotary", "alibi",
    }  # fmt: skip
    raw = sorted(pair.seeds.p_t for pair in ablation.variants)
    assert sorted(pair.seeds.p_t_holm for pair in ablation.variants)[0] == pytest.approx(4 * raw[0])


def test_when_a_written_pair_is_turned_then_it_is_the_one_that_was_computed_the_other_way(comparer):
    one, other = turned(comparer.family([("a", "b")])[0]), comparer.family([("b", "a")])[0]
    assert (one.a, one.b, one.difference, one.better) == (other.a, other.b, other.difference, other.better)
    for part in ("seeds", "periods", "dm"):
        found, expected = getattr(one, part).model_dump(), getattr(other, part).model_dump()
        for key, value in expected.items():
            assert found[key] == (pytest.approx(value) if isinstance(value, float | tuple) else value), key
    assert one.improvement.estimate == pytest.approx(other.improvement.estimate)
    assert turned(one) == comparer.family([("a", "b")])[0]


def test_when_the_data_chose_the_reference_then_its_pairs_are_taken_from_all(comparer):
    pairs = comparer.all_pairs()
    found = comparer.against("b", pairs)
    assert [(pair.a, pair.b) for pair in found] == [("a", "b"), ("c", "b"), ("d", "b")]
    assert {pair.seeds.family for pair in found} == {6}
    assert found[0] == pairs[0]
    alone = comparer.against("b")
    widths = [(one.periods.family_high - one.periods.family_low) for one in (found[1], alone[1])]
    assert widths[0] > widths[1]


def test_when_all_models_are_equally_good_then_false_separations_stay_below_the_level(make_scores):
    """Both uncertainties at once: weeks shared by four equal models, and seeds of their own."""
    rng = np.random.default_rng(1)
    settings = CompareSettings(resamples=300, block_length=2)
    trials, false = 100, 0
    for _ in range(trials):
        weeks = rng.normal(size=80)
        scores = []
        for name in "abcd":
            squared = np.exp(0.3 * (weeks + 0.5 * rng.normal(size=80) + 0.5 * rng.normal(size=(6, 80))))
            scores.append(make_scores(name, np.sqrt(squared.mean(axis=1)), squared=squared))
        comparer = Comparer(scores, draw_rmse(scores, 2, 300, 0), 1, settings)
        false += any(pair.separable for pair in comparer.all_pairs())
    assert false <= stats.binom.ppf(0.999, trials, 0.05)
