"""Holm, smallest p and power: against hand computation, statsmodels and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from panelbench.compare.multiplicity import (
    cannot_pass,
    holm,
    power_of_paired_t,
    seeds_needed,
    seeds_to_pass,
    smallest_possible_p,
)


def test_when_three_p_values_then_holm_is_the_hand_computed_one():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


@settings(max_examples=15, deadline=None)  # multipletests collects garbage on every call
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_when_any_p_values_then_holm_agrees_with_statsmodels(values):
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]))


def test_when_a_comparison_has_no_test_then_it_does_not_count_in_the_family():
    assert holm([None, 0.02, None, 0.03]) == [None, 0.04, None, 0.04]
    assert holm([]) == []


def test_when_five_seeds_then_the_sign_flip_test_cannot_reach_five_percent_and_six_can():
    assert smallest_possible_p(5) == 0.0625
    assert smallest_possible_p(6) == 0.03125
    assert smallest_possible_p(1) == 1.0


def test_when_seven_comparisons_then_nine_seeds_are_needed():
    assert seeds_to_pass(7, 0.05) == 9
    assert seeds_to_pass(1, 0.05) == 6
    assert seeds_to_pass(1, 0.0625) == 5
    assert seeds_to_pass(0, 0.05) == 6


@given(st.integers(1, 500), st.floats(0.001, 0.4))
def test_when_seeds_to_pass_says_n_then_n_passes_and_one_fewer_does_not(family, level):
    n = seeds_to_pass(family, level)
    assert smallest_possible_p(n) <= level / family * (1 + 1e-9)
    assert n == 1 or smallest_possible_p(n - 1) > level / family * (1 - 1e-9)


def test_when_six_seeds_and_one_comparison_then_it_can_pass_and_with_two_it_cannot():
    assert cannot_pass([6], 0.05) == [False]
    assert cannot_pass([6, 6], 0.05) == [True, True]
    assert cannot_pass([5], 0.05) == [True]
    assert cannot_pass([None, 6], 0.05) == [True, False]


def test_when_another_pair_has_many_seeds_then_it_passes_first_and_opens_the_step():
    assert cannot_pass([20, 6], 0.05) == [False, False]
    assert cannot_pass([20, 6, 6], 0.05) == [False, True, True]


def test_when_the_effect_is_one_sd_then_ten_pairs_give_the_textbook_power():
    # one-sample t, d = 1, n = 10, two-sided 5 %: 0.8031 (G*Power)
    assert power_of_paired_t(10, 1.0, 0.05) == pytest.approx(0.8031, abs=5e-4)
    assert seeds_needed(1.0, 1.0, 0.05) == 10


@pytest.mark.parametrize(("difference", "sd"), [(2.0, 3.0), (-0.5, 1.0), (10.0, 1.0)])
def test_when_n_seeds_are_needed_then_n_reach_the_power_and_one_fewer_do_not(difference, sd):
    n = seeds_needed(difference, sd, 0.05)
    effect = abs(difference) / sd
    assert power_of_paired_t(n, effect, 0.05) >= 0.8
    assert n == 2 or power_of_paired_t(n - 1, effect, 0.05) < 0.8


def test_when_the_effect_is_tiny_then_the_normal_formula_takes_over():
    expected = ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / 0.01) ** 2
    assert seeds_needed(0.01, 1.0, 0.05) == int(np.ceil(expected))


def test_when_there_is_nothing_to_find_then_no_number_of_seeds_is_given():
    assert seeds_needed(0.0, 1.0, 0.05) is None
    assert seeds_needed(1e-9, 1.0, 0.05) is None
    assert seeds_needed(float("nan"), 1.0, 0.05) is None


def test_when_seeds_do_not_differ_then_two_are_enough():
    assert seeds_needed(1.0, 0.0, 0.05) == 2
    assert seeds_needed(1e9, 1e-9, 0.05) == 2


def test_when_data_have_the_planned_effect_then_the_planned_power_is_reached():
    rng = np.random.default_rng(1)
    n, trials = seeds_needed(1.0, 1.0, 0.05), 1000
    samples = rng.normal(1.0, 1.0, size=(trials, n))
    found = int((stats.ttest_1samp(samples, 0.0, axis=1).pvalue <= 0.05).sum())
    low, high = stats.binom.interval(0.999, trials, power_of_paired_t(n, 1.0, 0.05))
    assert low <= found <= high
