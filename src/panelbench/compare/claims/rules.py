"""The rules: one pure function a kind of claim, from what was measured to a verdict.

- *reproduced*: the evidence says what the claim says.
- *within_spread*: the evidence does not contradict it, but another training run could turn it round, or the
  measured figure differs by no more than retraining explains. The claim is then undecided, not confirmed.
- *contradicted*: the evidence says something else, and retraining does not explain it.
- *not_testable*: nothing here can decide; the sentence says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats

from panelbench.compare.claims import wording
from panelbench.compare.claims.measure import Measured
from panelbench.compare.contrast import Contrast

Verdict = Literal["reproduced", "within_spread", "contradicted", "not_testable"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "within_spread", "contradicted", "not_testable")


@dataclass(frozen=True)
class Judgement:
    """The outcome of a rule.

    Attributes
    ----------
    measured
        The measured figure; for an order or a tie the difference of the pair that decides.
    low, high, interval_of
        The interval that the verdict rests on, and what it is an interval of.
    n
        Runs behind the figure.
    sentence
        The outcome in one plain sentence.
    """

    verdict: Verdict
    sentence: str
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    interval_of: str = ""
    n: int | None = None


def not_testable(reason: str) -> Judgement:
    """Return the judgement for what cannot be decided here; the reason is a clause without a full stop."""
    text = reason.removesuffix(".")
    return Judgement("not_testable", f"Not testable here: {text}.")


def prediction_interval(by_seed: Sequence[float], runs: int, confidence: float) -> tuple[float, float] | None:
    """Return where the mean of `runs` further runs would fall; None for fewer than two runs to judge by.

    `mean +- t(n-1) sd sqrt(1/n + 1/runs)`: normal over seeds, which a handful of seeds cannot check.
    """
    n = len(by_seed)
    if n < 2:
        return None
    values = np.asarray(by_seed, dtype=np.float64)
    half = float(stats.t.ppf(0.5 + confidence / 2, n - 1)) * float(values.std(ddof=1))
    half *= float(np.sqrt(1 / n + 1 / runs))
    mean = float(values.mean())
    return mean - half, mean + half


def value(
    measured: Measured, published: float, tolerance: float, runs: int, confidence: float, kind: str = "value"
) -> Judgement:
    """Judge a published figure (kinds `value`, `share` and `difference`).

    Reproduced if the measured figure is within the tolerance. Otherwise within the spread if the published
    one, a mean of `runs` runs, lies where a mean of that many further runs would fall; else contradicted. A
    figure without randomness has no spread to hide behind.
    """
    shown = wording.figure(measured.value, kind)
    base = f"measured {shown} over {wording.runs(measured.n)}" if measured.by_seed else f"measured {shown}"
    against = f"published {wording.figure(published, kind)}"
    bounds = prediction_interval(measured.by_seed, runs, confidence)
    low, high = bounds if bounds else (None, None)
    of = f"a mean of {wording.runs(runs)}, predicted from {len(measured.by_seed)} seeds" if bounds else ""

    def judged(verdict: Verdict, sentence: str) -> Judgement:
        return Judgement(verdict, sentence, measured.value, low, high, of, measured.n)

    # a rounding error must not decide what the tolerance just covers
    if abs(measured.value - published) <= tolerance * (1 + 1e-9) + 1e-12:
        return judged("reproduced", f"Reproduced: {base}, {against}.")
    if bounds:
        mean = "a further run" if runs == 1 else f"the mean of {runs:,} more runs"
        reach = f"{mean} would fall in {wording.interval(*bounds, kind)}"
        if bounds[0] <= published <= bounds[1]:
            return judged("within_spread", f"Within run-to-run spread: {base}, {against}; {reach}.")
        return judged("contradicted", f"Contradicted: {base}, {against}; {reach}.")
    if measured.by_seed:
        return not_testable(f"{base}, {against}, and one seed has no spread to judge by")
    return judged("contradicted", f"Contradicted: {base}, {against}.")


def count(measured: Measured, published: int) -> Judgement:
    """Judge a whole number: right or wrong."""
    right = measured.value == published
    shown, against = wording.figure(measured.value, "count"), wording.figure(published, "count")
    made_of = f" ({measured.of})" if measured.of else ""
    sentence = (
        f"Reproduced: {shown}{made_of}."
        if right
        else f"Contradicted: {shown} here{made_of}, published {against}."
    )
    return Judgement("reproduced" if right else "contradicted", sentence, measured.value, n=measured.n)


def order(contrasts: Sequence[Contrast], confidence: float) -> Judgement:
    """Judge an order from the contrasts "better minus worse", every one of which must hold.

    Reproduced only if every interval excludes zero on the claimed side (each at the stated confidence: all
    must hold at once, so no adjustment is needed). Contradicted only if one excludes zero on the other side,
    at a confidence adjusted for the number of pairs (Bonferroni). Otherwise within run-to-run spread.
    """
    blank = next((one for one in contrasts if one.over == "nothing"), None)
    if blank is not None:
        return not_testable(f"{blank.a} and {blank.b}: {blank.reason}")
    simultaneous = 1 - (1 - confidence) / len(contrasts)
    against = [one for one in contrasts if one.interval(simultaneous)[0] > 0]
    verdict: Verdict = (
        "reproduced" if all(one.interval(confidence)[1] < 0 for one in contrasts) else "within_spread"
    )
    if against:
        verdict = "contradicted"
    weakest = max(
        against or contrasts, key=lambda one: one.estimate / one.scale if one.scale else one.estimate
    )
    used = simultaneous if verdict == "contradicted" else confidence
    low, high = weakest.interval(used)
    pair = _pair(weakest, low, high)
    others = f"; the weakest of {len(contrasts)} pairs" if len(contrasts) > 1 else ""
    sentences = {
        "reproduced": f"Reproduced: {pair}{others}.",
        "within_spread": f"Within run-to-run spread: {pair}, so the order could turn round{others}.",
        "contradicted": f"Contradicted: {pair}, the other way round{others}.",
    }
    return Judgement(
        verdict, sentences[verdict], weakest.estimate, low, high, f"{weakest.a} minus {weakest.b}", weakest.n
    )


def tie(one: Contrast, margin: float, confidence: float) -> Judgement:
    """Judge a tie: an equivalence within `margin`, a share of the two models' mean error.

    Reproduced only if the whole interval lies inside the margin: that a difference is not significant does
    not make a tie. Contradicted only if the whole interval lies outside it. Otherwise undecided.
    """
    if one.over == "nothing":
        return not_testable(f"{one.a} and {one.b}: {one.reason}")
    low, high = one.interval(confidence)
    allowed = margin * abs(one.scale)
    reach = f"\N{PLUS-MINUS SIGN}{wording.figure(allowed)} ({wording.figure(margin, 'share')})"
    pair = _pair(one, low, high)
    verdict: Verdict = "within_spread"
    sentence = f"Undecided: {pair}; the interval is not inside the margin of {reach}, nor outside it."
    if -allowed < low and high < allowed:
        verdict, sentence = "reproduced", f"Reproduced: {pair}, inside the margin of {reach}."
    elif low > allowed or high < -allowed:
        verdict, sentence = "contradicted", f"Contradicted: {pair}, outside the margin of {reach}."
    return Judgement(verdict, sentence, one.estimate, low, high, f"{one.a} minus {one.b}", one.n)


def invariance(check: Mapping[str, Any] | None, name: str, passing_means: str) -> Judgement:
    """Judge by an exact check of the audit; a claim can be wrong because a check passes."""
    if check is None:
        return not_testable(f"the audit has no check '{name}' for the declared experiments")
    detail = str(check.get("detail", "")).removesuffix(".")
    if check.get("passed"):
        verdict: Verdict = "contradicted" if passing_means == "contradicted" else "reproduced"
        return Judgement(
            verdict, f"{verdict.capitalize()} by an exact test: {detail}.", n=int(check.get("n", 0))
        )
    if passing_means == "contradicted":
        return not_testable(f"the audit's check '{name}' did not pass: {detail}")
    return Judgement("contradicted", f"Contradicted by an exact test: {detail}.", n=int(check.get("n", 0)))


def _pair(one: Contrast, low: float, high: float) -> str:
    basis = f"{one.n} paired seeds" if one.over == "seeds" else "over target periods; neither has seeds"
    kind = "share" if one.metric == "wape" else "value"
    numbers = f"{wording.signed(one.estimate, kind)} ({wording.interval(low, high, kind)}, {basis})"
    return f"{one.metric.upper()} of {one.a} minus {one.b} is {numbers}"
