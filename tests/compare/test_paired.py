"""Paired differences: which seeds pair, hand-computed p values, rejection rate and coverage."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from panelbench.compare.paired import adjust, compare_seeds, pair_seeds, paired_t_p, sign_flip_p
from panelbench.compare.schema import SeedPair


def test_when_both_have_seeds_then_common_ones_are_paired_by_number(make_scores):
    a = make_scores("a", [10.0, 11.0, 12.0], seeds=(0, 1, 5))
    b = make_scores("b", [1.0, 2.0, 3.0], seeds=(1, 5, 9))
    seeds, differences = pair_seeds(a, b)
    assert seeds == (1, 5)
    assert differences.tolist() == [10.0, 10.0]


def test_when_one_is_deterministic_then_its_value_is_paired_with_every_seed(make_scores):
    fixed = make_scores("fixed", [10.0], seeds=(0,), deterministic=True)
    noisy = make_scores("noisy", [8.0, 9.0, 13.0], seeds=(3, 4, 5))
    assert pair_seeds(noisy, fixed)[1].tolist() == [-2.0, -1.0, 3.0]
    seeds, differences = pair_seeds(fixed, noisy)
    assert seeds == (3, 4, 5)
    assert differences.tolist() == [2.0, 1.0, -3.0]


def test_when_both_are_deterministic_then_there_is_no_interval_over_seeds(make_scores):
    pair = compare_seeds(
        make_scores("a", [1.0], deterministic=True), make_scores("b", [2.0], deterministic=True), 0.95
    )
    assert (pair.n, pair.low, pair.p_t, pair.p_sign, pair.mean) == (0, None, None, None, None)
    assert "deterministic" in pair.reason


def test_when_no_seed_is_common_then_the_reason_is_given(make_scores):
    pair = compare_seeds(make_scores("a", [1.0], seeds=(0,)), make_scores("b", [2.0], seeds=(1,)), 0.95)
    assert pair.n == 0
    assert "no seed finished in both" in pair.reason


def test_when_one_seed_is_common_then_the_difference_is_shown_without_a_verdict(make_scores):
    pair = compare_seeds(make_scores("a", [1.0]), make_scores("b", [3.0]), 0.95)
    assert (pair.n, pair.mean, pair.sd, pair.low, pair.p_sign) == (1, -2.0, None, None, None)
    assert pair.descriptive


def test_when_three_seeds_then_every_figure_is_the_hand_computed_one(make_scores):
    a, b = make_scores("a", [11.0, 12.0, 13.0]), make_scores("b", [10.0, 10.0, 10.0])
    pair = compare_seeds(a, b, 0.95)
    assert pair.differences == (1.0, 2.0, 3.0)
    assert (pair.mean, pair.sd) == (2.0, 1.0)
    assert pair.low == pytest.approx(2 - 4.302653 / np.sqrt(3), rel=1e-6)
    assert pair.p_sign == 0.25  # 2 of 8 sign patterns reach |6|
    assert pair.smallest_p == 0.25
    assert pair.p_t == pytest.approx(stats.ttest_rel([11, 12, 13], [10, 10, 10]).pvalue)


def test_when_differences_are_1_2_minus_1_then_six_of_eight_patterns_are_as_extreme():
    # sums of +-1 +-2 +-1: 4 2 0 2 and their negatives; |2| or more: 6 of 8
    assert sign_flip_p(np.array([1.0, 2.0, -1.0])) == 6 / 8


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=8))
def test_when_few_differences_then_the_sign_flip_p_equals_full_enumeration(values):
    sums = [
        abs(sum(s * v for s, v in zip(signs, values, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(values))
    ]
    assert sign_flip_p(np.array(values, dtype=float)) == pytest.approx(
        np.mean(np.array(sums) >= abs(sum(values)))
    )


@settings(max_examples=25)
@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=10))
def test_when_signs_are_reversed_or_units_changed_then_the_sign_flip_p_stays(values):
    d = np.array(values)
    assert sign_flip_p(-d) == sign_flip_p(d)
    assert sign_flip_p(d * 1024.0) == sign_flip_p(d)


def test_when_all_differences_are_zero_then_p_is_one():
    assert sign_flip_p(np.zeros(4)) == 1.0
    assert paired_t_p(np.zeros(4)) == 1.0


def test_when_there_are_more_than_twenty_pairs_then_drawn_patterns_agree_with_the_exact_ones():
    rng = np.random.default_rng(3)
    d = rng.normal(0.4, 1.0, size=20)
    exact = sign_flip_p(d)
    drawn = sign_flip_p(np.append(d, 0.0), seed=1)  # a zero changes no sum, only the method
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 100_000))
    assert sign_flip_p(np.append(d, 0.0), seed=1) == drawn


def test_when_drawn_patterns_never_reach_the_difference_then_p_is_not_zero():
    assert sign_flip_p(np.full(40, 1.0)) == pytest.approx(1 / 100_001)


def test_when_the_differences_do_not_vary_then_the_limit_is_given_and_said(make_scores):
    pair = compare_seeds(make_scores("a", [3.0, 3.0, 3.0]), make_scores("b", [1.0, 1.0, 1.0]), 0.95)
    assert (pair.sd, pair.low, pair.high, pair.p_t) == (0.0, 2.0, 2.0, 0.0)
    assert "same for every seed" in pair.reason


def test_when_forecasts_are_identical_then_nothing_is_found(make_scores):
    same = make_scores("a", [3.0, 4.0, 5.0])
    pair = compare_seeds(same, same, 0.95)
    assert (pair.mean, pair.p_t, pair.p_sign, pair.seeds_needed) == (0.0, 1.0, 1.0, None)


def test_when_adjusted_then_only_pairs_with_a_test_make_up_the_family(make_scores):
    fixed = [make_scores(name, [value], deterministic=True) for name, value in (("f", 9.0), ("g", 8.0))]
    noisy = make_scores("n", [10.0, 11.0, 12.0, 10.5, 11.5, 11.2])
    pairs = [compare_seeds(noisy, fixed[0], 0.95), compare_seeds(fixed[0], fixed[1], 0.95)]
    family = adjust(pairs, 0.95)
    assert [pair.family for pair in family] == [1, 1]
    assert family[0].p_t_holm == family[0].p_t
    assert family[1].p_t_holm is None
    assert [pair.descriptive for pair in family] == [False, True]


def test_when_six_seeds_and_two_pairs_then_both_are_descriptive(make_scores):
    scores = [make_scores(name, np.arange(6.0) + shift) for name, shift in (("a", 0), ("b", 5), ("c", 9))]
    family = adjust([compare_seeds(scores[0], other, 0.95) for other in scores[1:]], 0.95)
    assert [pair.descriptive for pair in family] == [True, True]
    assert [pair.p_sign_holm for pair in family] == [0.0625, 0.0625]


def test_when_there_is_no_true_difference_then_each_test_rejects_as_often_as_its_level():
    rng = np.random.default_rng(0)
    trials, level = 1500, 0.0625
    samples = rng.normal(size=(trials, 7))
    low, high = stats.binom.interval(0.999, trials, level)
    # 7 seeds: p is a multiple of 2/128, so a level of 8/128 is met exactly
    assert low <= sum(sign_flip_p(row) <= level for row in samples) <= high
    assert low <= sum(paired_t_p(row) <= level for row in samples) <= high


def test_when_there_is_a_true_difference_then_the_interval_covers_it_as_often_as_stated(make_scores):
    rng = np.random.default_rng(2)
    trials, hits = 600, 0
    for _ in range(trials):
        common = rng.normal(size=6)
        a = make_scores("a", 100 + common + 0.3 * rng.normal(size=6))
        b = make_scores("b", 98 + common + 0.3 * rng.normal(size=6))
        pair = compare_seeds(a, b, 0.9)
        hits += pair.low <= 2.0 <= pair.high
    low, high = stats.binom.interval(0.999, trials, 0.9)
    assert low <= hits <= high


def test_when_all_nulls_are_true_then_holm_rejects_any_of_them_at_most_at_the_level():
    rng = np.random.default_rng(4)
    trials, any_found = 300, 0
    for samples in rng.normal(size=(trials, 5, 8)):
        pairs = [SeedPair(n=8, p_t=paired_t_p(row), p_sign=sign_flip_p(row)) for row in samples]
        any_found += any(pair.p_t_holm <= 0.05 for pair in adjust(pairs, 0.95))
    assert any_found <= stats.binom.ppf(0.999, trials, 0.05)
