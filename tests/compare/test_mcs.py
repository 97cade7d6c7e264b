"""Model confidence set: keeps the best, drops the bad, survives equal and constant losses."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from arch.bootstrap import MCS
from scipy import stats

from panelbench.compare.mcs import confidence_set


def run(losses: np.ndarray, size: float = 0.05, block: int = 2):
    names = [f"m{k}" for k in range(losses.shape[1])]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return confidence_set(names, losses, size, block)


def panel(shifts: list[float], n: int = 60, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 10 + rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=(n, len(shifts))) + np.array(shifts)


def test_when_one_model_is_clearly_worse_then_it_is_excluded():
    result = run(panel([0.0, 0.02, 3.0]))
    assert result.included == ("m0", "m1")
    assert result.p["m2"] < 0.05


def test_when_there_are_many_periods_then_p_values_are_those_of_arch():
    """With few, they must not be: there the bootstrap of `arch` takes the standard errors for known."""
    losses = panel([0.0, 0.03, 0.05, 0.07], n=600)
    mcs = MCS(losses / losses.mean(), size=0.05, reps=1000, block_size=2, bootstrap="moving block", seed=3)
    mcs.compute()
    expected = mcs.pvalues["Pvalue"].sort_index().tolist()
    assert 0.005 < min(expected) < 0.9
    assert list(run(losses).p.values()) == pytest.approx(expected, abs=0.05)


def test_when_two_models_are_identical_then_they_share_a_fate():
    losses = panel([0.0, 3.0, 0.1])
    result = run(losses[:, [0, 0, 1, 1, 2]])
    assert result.p["m0"] == result.p["m1"] == 1.0
    assert result.p["m2"] == result.p["m3"] < 0.05


def test_when_all_models_are_identical_then_all_stay():
    losses = np.repeat(panel([0.0]), 3, axis=1)
    assert run(losses).included == ("m0", "m1", "m2")


def test_when_a_model_is_worse_by_the_same_amount_always_then_it_goes():
    losses = panel([0.0, 0.1])
    result = run(np.column_stack([losses, losses[:, 0] + 5.0]))
    assert result.p["m2"] == 0.0
    assert "m2" not in result.included


def test_when_the_test_block_is_too_short_then_everything_stays_and_the_reason_is_given():
    result = run(panel([0.0, 50.0], n=3))
    assert result.included == ("m0", "m1")
    assert result.p == {}
    assert "3 target periods" in result.reason


@pytest.mark.parametrize("k", [0, 1])
def test_when_there_are_fewer_than_two_models_then_there_is_nothing_to_exclude(k):
    result = run(panel([0.0])[:, :k])
    assert len(result.included) == k
    assert "fewer than two" in result.reason


def test_when_run_twice_then_the_result_is_the_same():
    losses = panel([0.0, 0.2, 0.4])
    assert run(losses) == run(losses)


@pytest.mark.parametrize("weeks", [12, 26, 60])
def test_when_models_are_equally_good_then_few_sets_leave_one_out(weeks):
    trials, size = 300, 0.05
    smaller = sum(
        len(run(panel([0.0] * 5, weeks, seed), size, block=4).included) < 5 for seed in range(trials)
    )
    assert smaller <= stats.binom.ppf(0.999, trials, 0.06)
