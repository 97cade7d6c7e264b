"""Whether the data can rank: the rule, the figures behind it, and the plan."""

from __future__ import annotations

import numpy as np

from panelbench.compare import compare
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


def test_when_the_plan_is_carried_out_then_most_test_blocks_tell_the_two_apart(tmp_path):
    """A world with a known difference: blocks as long as planned find it about as often as planned."""
    rng = np.random.default_rng(0)
    tree = RunsTree(tmp_path, test_steps=30, n_steps=90)
    noise = rng.normal(size=(2, *tree.y[:, -30:].shape)) * np.array([20.0, 26.0])[:, None, None]
    for name, error in zip(("a", "b"), noise, strict=True):
        tree.add(name, deterministic=True, forecasts=(tree.y[:, -30:] + error)[None])
    planned = found(tree).periods_needed
    hits = 0
    for trial in range(20):
        again = RunsTree(tmp_path / str(trial), test_steps=planned, n_steps=planned + 60)
        noise = rng.normal(size=(2, 4, planned)) * np.array([20.0, 26.0])[:, None, None]
        for name, error in zip(("a", "b"), noise, strict=True):
            again.add(name, deterministic=True, forecasts=(again.y[:, -planned:] + error)[None])
        hits += compare(again.settings(compare={"resamples": 100}), again.root).pairs[0].separable
    assert hits >= 8  # the plan rests on an estimated difference, so not the full 80 %
