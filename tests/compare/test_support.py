"""Whether the data can rank: the rule, the figures behind it, and the plan."""

from __future__ import annotations

import numpy as np
from scipy import stats

from panelbench.compare import compare
from panelbench.compare.blocks import Draws, difference_intervals, draw_rmse
from panelbench.compare.multiplicity import POWER
from panelbench.compare.support import periods_needed
from tests.helpers.runs_tree import RunsTree

SIX = (0, 1, 2, 3, 4, 5)


def found(tree: RunsTree):
    return compare(tree.settings(compare={"resamples": 300, "block_length": 3}), tree.root).support


def test_when_models_are_alike_then_no_ranking_is_carried_and_it_is_said_how_far_off(tmp_path):
    tree = RunsTree(tmp_path, test_steps=24, n_steps=80)
    tree.add("naive", deterministic=True, noise=400.0, model="last_value")
    tree.add("rnn", noise=20.0, seed_noise=4.0, seeds=SIX)
    tree.add("lstm", noise=20.0, seed_noise=4.0, seeds=SIX)
    support = found(tree)
    assert not support.can_rank
    assert (support.n_pairs, support.n_separable, support.n_blocks) == (1, 0, 8)
    assert {support.first, support.second} == {"rnn", "lstm"}
    assert support.low < 0 < support.difference < support.high
    assert support.times == (support.high - support.low) / 2 / support.difference
    assert support.periods_needed is None or support.periods_needed > 24
    assert "the one pair of learned models cannot be told apart" in support.sentence
    assert f"instead of {support.n_periods}" in support.sentence


def test_when_learned_models_differ_clearly_then_the_data_can_rank(tmp_path):
    tree = RunsTree(tmp_path, test_steps=24, n_steps=80)
    tree.add("rnn", noise=5.0, seeds=SIX)
    tree.add("lstm", noise=90.0, seeds=SIX)
    support = found(tree)
    assert (support.can_rank, support.reasons, support.n_separable) == (True, (), 1)
    assert support.sentence.startswith("1 of 1 pairs of learned models can be told apart.")
    assert support.periods_needed <= 24


def test_when_there_are_few_blocks_then_that_alone_is_a_reason(tmp_path):
    tree = RunsTree(tmp_path, test_steps=12)
    tree.add("rnn", noise=1.0, seeds=SIX)
    tree.add("lstm", noise=200.0, seeds=SIX)
    support = found(tree)
    assert support.n_separable == 1
    assert not support.can_rank
    assert support.reasons == (
        "12 target periods hold 4 blocks of 3, fewer than the 5 that it takes to know how much the errors "
        "vary",
    )


def test_when_only_rules_without_learning_differ_then_there_is_nothing_to_rank(runs_tree):
    runs_tree.add("naive", deterministic=True, noise=400.0, model="last_value")
    runs_tree.add("rnn", noise=2.0, seeds=SIX)
    support = found(runs_tree)
    assert (support.n_pairs, support.first, support.can_rank) == (0, None, True)
    assert "none to rank" in support.sentence


def test_when_the_test_block_is_too_short_then_the_reason_is_that(tmp_path):
    tree = RunsTree(tmp_path, test_steps=4)
    tree.add("rnn")
    tree.add("lstm", noise=200.0)
    support = found(tree)
    assert not support.can_rank
    assert support.reasons[0].startswith("4 target periods are too few")
    assert (support.low, support.periods_needed) == (None, None)


def test_when_the_plan_is_carried_out_then_test_blocks_tell_the_two_apart_as_often_as_planned(make_scores):
    """Planned on a long block, where the difference is known well; tried on blocks as long as planned."""
    rng = np.random.default_rng(0)

    def block(weeks: int) -> Draws:
        errors = rng.normal(size=(2, 10, weeks)) * np.array([20.0, 23.0])[:, None, None]
        scores = [
            make_scores(name, [np.sqrt(one.mean())], squared=one.mean(axis=0, keepdims=True))
            for name, one in zip("ab", errors**2, strict=True)
        ]
        return draw_rmse(scores, 3, 200, 0)

    planned = periods_needed(block(3000), 0, 1, 0.95)
    trials = 150
    found = [difference_intervals(block(planned), [(0, 1)], 0.95)[0] for _ in range(trials)]
    low, high = stats.binom.interval(0.999, trials, POWER)
    assert low <= sum(one.family_high < 0 for one in found) <= high
