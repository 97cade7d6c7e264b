"""Diebold-Mariano: against the dieboldmariano package, and guarded where no test exists."""

from __future__ import annotations

import dieboldmariano
import numpy as np
import pytest
from scipy import stats

from panelbench.compare.diebold import adjust, diebold_mariano, lags_for


def losses(n: int, shift: float = 0.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    return (common + rng.normal(size=n) + shift) ** 2, (common + rng.normal(size=n)) ** 2


@pytest.mark.parametrize("horizon", [1, 2, 4])
@pytest.mark.parametrize("n", [12, 26, 104])
def test_when_lags_are_horizon_minus_one_then_the_oracle_with_bartlett_weights_agrees(n, horizon):
    a, b = losses(n, 0.3, seed=n)
    result = diebold_mariano(a, b, horizon, lags=horizon - 1)
    statistic, p = dieboldmariano.dm_test(
        [0.0] * n, a.tolist(), b.tolist(), loss=lambda _, loss: loss, h=horizon, variance_estimator="bartlett"
    )
    assert result.statistic == pytest.approx(statistic, rel=1e-9)
    assert result.p == pytest.approx(p, rel=1e-9)


def test_when_one_step_and_no_lags_then_it_is_the_hand_computed_t_with_the_correction():
    a, b = np.array([4.0, 6.0, 5.0, 9.0]), np.array([3.0, 4.0, 5.0, 6.0])
    d = a - b  # 1 2 0 3: mean 1.5, variance with n: 1.25
    expected = 1.5 / np.sqrt(1.25 / 4) * np.sqrt(3 / 4)
    result = diebold_mariano(a, b, 1, lags=0)
    assert d.mean() == 1.5
    assert result.statistic == pytest.approx(expected)
    assert result.p == pytest.approx(2 * stats.t.sf(expected, 3))


def test_when_the_first_has_the_lower_loss_then_the_statistic_is_negative():
    a, b = losses(60, 2.0)
    assert diebold_mariano(b, a).statistic < 0 < diebold_mariano(a, b).statistic
    assert diebold_mariano(b, a).p == pytest.approx(diebold_mariano(a, b).p)


def test_when_lags_are_not_given_then_they_are_recorded_with_the_kernel():
    a, b = losses(26)
    result = diebold_mariano(a, b)
    assert (result.n, result.lags, result.horizon) == (26, 3, 1)
    assert "Bartlett" in result.kernel


@pytest.mark.parametrize(
    ("n", "horizon", "expected"),
    [(26, 1, 3), (27, 1, 3), (28, 1, 4), (26, 8, 7), (3, 1, 2), (1, 1, 0), (0, 1, 0)],
)
def test_when_periods_and_horizon_are_known_then_so_are_the_lags(n, horizon, expected):
    assert lags_for(n, horizon) == expected


def test_when_forecasts_are_identical_then_there_is_no_statistic_and_the_reason_is_given():
    a, _ = losses(30)
    result = diebold_mariano(a, a.copy())
    assert (result.statistic, result.p) == (None, None)
    assert "identical" in result.reason
    assert "identical" in diebold_mariano(np.zeros(30), np.zeros(30)).reason


def test_when_the_difference_never_varies_then_there_is_no_statistic():
    a, _ = losses(30)
    assert "no variance" in diebold_mariano(a + 1.0, a).reason


@pytest.mark.parametrize(("n", "horizon"), [(0, 1), (1, 1), (2, 1), (7, 4)])
def test_when_there_are_too_few_periods_then_there_is_no_statistic(n, horizon):
    a, b = losses(n)
    result = diebold_mariano(a, b, horizon)
    assert result.statistic is None
    assert str(n) in result.reason


def test_when_adjusted_then_missing_tests_do_not_count():
    a, b = losses(40, 1.0)
    family = adjust([diebold_mariano(a, b), diebold_mariano(a, a), diebold_mariano(b, a)])
    assert [test.p_holm is None for test in family] == [False, True, False]
    assert family[0].p_holm == pytest.approx(min(1.0, 2 * family[0].p))


def test_when_both_are_equally_good_then_it_rejects_about_as_often_as_its_level():
    trials, level = 400, 0.05
    without = with_lags = 0
    for seed in range(trials):
        a, b = losses(60, seed=seed)
        without += diebold_mariano(a, b, lags=0).p <= level
        with_lags += diebold_mariano(a, b).p <= level
    low, high = stats.binom.interval(0.999, trials, level)
    assert low <= without <= high
    assert with_lags <= stats.binom.ppf(0.999, trials, 0.08)  # what estimated lags are documented to cost


def test_when_one_is_clearly_better_then_it_is_found():
    assert all(diebold_mariano(*losses(60, 3.0, seed=seed)).p < 0.05 for seed in range(50))
