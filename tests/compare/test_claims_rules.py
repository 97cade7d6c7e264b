"""Rule by rule, with figures worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from panelbench.compare.claims import rules
from panelbench.compare.claims.measure import Measured
from panelbench.compare.contrast import Contrast


def contrast(*values: float, a: str = "A", b: str = "B", scale: float = 1000.0) -> Contrast:
    array = np.array(values, dtype=float)
    return Contrast(a, b, "rmse", float(array.mean()), scale, array.size, "seeds", values=array)


def blank(reason: str = "one seed in common has no spread to judge by") -> Contrast:
    return Contrast("A", "B", "rmse", 1.0, 1000.0, 1, "nothing", reason=reason)


class TestOrder:
    # differences -30, -20, -10: mean -20, sd 10, n 3, t(2) = 4.303: half-width 24.84
    def test_when_the_interval_reaches_over_zero_then_it_is_within_the_spread(self):
        found = rules.order([contrast(-30, -20, -10)], 0.95)
        assert found.verdict == "within_spread"
        assert found.measured == pytest.approx(-20)
        assert found.low == pytest.approx(-44.84, abs=0.01)
        assert found.high == pytest.approx(4.84, abs=0.01)
        assert found.n == 3

    def test_when_the_interval_lies_on_the_claimed_side_then_it_is_reproduced(self):
        found = rules.order([contrast(-60, -50, -40)], 0.95)
        assert found.verdict == "reproduced"
        assert found.high < 0
        assert "RMSE of A minus B is \N{MINUS SIGN}50" in found.sentence

    def test_when_the_interval_lies_on_the_other_side_then_it_is_contradicted(self):
        assert rules.order([contrast(60, 50, 40)], 0.95).verdict == "contradicted"

    def test_when_one_of_several_pairs_is_open_then_the_whole_is_open_and_names_it(self):
        found = rules.order([contrast(-60, -50, -40), contrast(-30, -20, -10, b="C")], 0.95)
        assert found.verdict == "within_spread"
        assert found.interval_of == "A minus C"
        assert "weakest of 2 pairs" in found.sentence

    def test_when_one_of_several_pairs_is_the_other_way_round_then_it_is_contradicted(self):
        found = rules.order([contrast(-60, -50, -40), contrast(90, 100, 110, b="C")], 0.95)
        assert found.verdict == "contradicted"
        assert found.measured == pytest.approx(100)

    def test_when_many_pairs_are_asked_then_one_slip_does_not_contradict(self):
        # 25 +- 24.84 excludes zero alone (0.16), and not at a confidence adjusted for ten pairs
        alone = contrast(35, 25, 15, b="C")
        assert rules.order([alone], 0.95).verdict == "contradicted"
        assert rules.order([alone, *[contrast(-60, -50, -40)] * 9], 0.95).verdict == "within_spread"

    def test_when_a_pair_has_no_interval_then_it_is_not_testable(self):
        found = rules.order([contrast(-60, -50, -40), blank()], 0.95)
        assert found.verdict == "not_testable"
        assert "no spread" in found.sentence


class TestTie:
    # scale 1,000 and margin 3%: +-30
    def test_when_the_interval_is_inside_the_margin_then_it_is_a_tie(self):
        assert rules.tie(contrast(-2, 0, 2), 0.03, 0.95).verdict == "reproduced"

    def test_when_nothing_is_significant_but_the_interval_is_wide_then_it_is_no_tie(self):
        found = rules.tie(contrast(-100, 0, 100), 0.03, 0.95)
        assert found.verdict == "within_spread"
        assert found.sentence.startswith("Undecided")

    def test_when_a_difference_is_certain_but_small_then_it_is_still_a_tie(self):
        # 10 +- 2.5: excludes zero, lies inside the margin
        assert rules.tie(contrast(9, 10, 11), 0.03, 0.95).verdict == "reproduced"

    def test_when_the_interval_straddles_the_margin_then_it_is_open(self):
        assert rules.tie(contrast(20, 30, 40), 0.03, 0.95).verdict == "within_spread"

    @pytest.mark.parametrize("sign", [1, -1])
    def test_when_the_whole_interval_is_outside_then_it_is_contradicted(self, sign):
        assert rules.tie(contrast(99 * sign, 100 * sign, 101 * sign), 0.03, 0.95).verdict == "contradicted"

    def test_when_there_is_no_interval_then_it_is_not_testable(self):
        assert rules.tie(blank(), 0.03, 0.95).verdict == "not_testable"


class TestValue:
    def test_when_inside_the_tolerance_then_it_is_reproduced(self):
        assert rules.value(Measured(746.0), 744, 2, 1, 0.95).verdict == "reproduced"

    def test_when_nothing_is_random_and_it_differs_then_it_is_contradicted(self):
        found = rules.value(Measured(747.0), 744, 2, 1, 0.95)
        assert found.verdict == "contradicted"
        assert found.low is None

    def test_when_the_published_mean_lies_where_runs_would_fall_then_it_is_within_the_spread(self):
        # seeds 90, 100, 110: mean 100, sd 10; for two further runs 4.303 * 10 * sqrt(1/3 + 1/2) = 39.28
        measured = Measured(100.0, 3, (90.0, 100.0, 110.0))
        found = rules.value(measured, 139, 2, 2, 0.95)
        assert found.verdict == "within_spread"
        assert found.low == pytest.approx(100 - 39.28, abs=0.01)
        assert found.high == pytest.approx(100 + 39.28, abs=0.01)
        assert rules.value(measured, 140, 2, 2, 0.95).verdict == "contradicted"

    def test_when_more_runs_were_published_then_the_interval_is_narrower(self):
        seeds = (90.0, 100.0, 110.0)
        one, many = (rules.prediction_interval(seeds, runs, 0.95) for runs in (1, 100))
        assert one[1] - one[0] > many[1] - many[0]

    def test_when_one_seed_differs_then_nothing_can_be_said(self):
        found = rules.value(Measured(100.0, 1, (100.0,)), 150, 2, 1, 0.95)
        assert found.verdict == "not_testable"
        assert "one seed" in found.sentence

    def test_when_it_is_a_share_then_the_sentence_has_per_cent(self):
        found = rules.value(Measured(0.2949), 0.29, 0.02, 1, 0.95, "share")
        assert "29.49%" in found.sentence
        assert "29%" in found.sentence

    def test_when_the_tolerance_just_covers_it_then_rounding_does_not_decide(self):
        assert rules.value(Measured(0.3), 0.1 + 0.1, 0.1, 1, 0.95).verdict == "reproduced"


class TestCountAndInvariance:
    def test_when_a_count_is_off_by_one_then_it_is_contradicted(self):
        assert rules.count(Measured(5940.0), 5940).verdict == "reproduced"
        found = rules.count(Measured(5939.0), 5940)
        assert found.verdict == "contradicted"
        assert "5,939" in found.sentence

    def test_when_the_check_passes_then_the_claim_follows_what_passing_means(self):
        check = {"passed": True, "detail": "3 compared.", "n": 3}
        assert rules.invariance(check, "c", "reproduced").verdict == "reproduced"
        assert rules.invariance(check, "c", "contradicted").verdict == "contradicted"

    def test_when_the_check_fails_then_a_claim_that_needs_it_is_contradicted(self):
        check = {"passed": False, "detail": "1 moved.", "n": 3}
        assert rules.invariance(check, "c", "reproduced").verdict == "contradicted"
        assert rules.invariance(check, "c", "contradicted").verdict == "not_testable"

    def test_when_there_is_no_such_check_then_it_is_not_testable(self):
        assert rules.invariance(None, "c", "reproduced").verdict == "not_testable"
