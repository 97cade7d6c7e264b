"""Two experiments compared, seen from either side."""

from __future__ import annotations

from dataclasses import dataclass

from panelbench.compare.schema import Pair
from panelbench.report.data import ReportData


@dataclass(frozen=True)
class View:
    """A pair turned so that the difference is `a` minus `b`; above zero, `b` is the more accurate.

    Attributes
    ----------
    a, b
        Experiments.
    difference
        Mean RMSE of `a` minus mean RMSE of `b`.
    seeds
        (low, high) of the mean difference over common seeds, or None.
    periods
        (low, high) of the difference over resampled target periods, or None.
    family
        The same, but simultaneous: all pairs are inside theirs at the stated confidence. The interval
        that decides whether a pair is separable.
    separable
        Whether the comparison's rule calls them different.
    pair
        The whole entry, turned as it was written.
    """

    a: str
    b: str
    difference: float
    seeds: tuple[float, float] | None
    periods: tuple[float, float] | None
    family: tuple[float, float] | None
    separable: bool
    pair: Pair


def view(pair: Pair, a: str) -> View:
    """Turn a pair so that `a` comes first."""
    flip = pair.a != a

    def turned(low: float | None, high: float | None) -> tuple[float, float] | None:
        if low is None or high is None:
            return None
        return (-high, -low) if flip else (low, high)

    return View(
        a=a,
        b=pair.a if flip else pair.b,
        difference=-pair.difference if flip else pair.difference,
        seeds=turned(pair.seeds.low, pair.seeds.high),
        periods=turned(pair.periods.low, pair.periods.high),
        family=turned(pair.periods.family_low, pair.periods.family_high),
        separable=pair.separable,
        pair=pair,
    )


def find(data: ReportData, a: str, b: str) -> View | None:
    """Return the comparison of two finished experiments as `a` minus `b`."""
    return next((view(pair, a) for pair in data.comparison.pairs if {pair.a, pair.b} == {a, b}), None)


def tied_with(data: ReportData, name: str) -> list[str]:
    """Return the experiments that cannot be told apart from `name`, in order of error."""
    return [
        other
        for other in data.finished
        if other != name and (found := find(data, other, name)) is not None and not found.separable
    ]


def half(ends: tuple[float, float] | None) -> float | None:
    """Return an interval's half-width."""
    return None if ends is None else (ends[1] - ends[0]) / 2


def open_by(found: View) -> str:
    """Return what keeps a pair from being told apart: "periods", "seeds", or nothing where it is told apart.

    A pair that both leave open counts as "periods": more seeds alone would not decide it.
    """
    if found.separable:
        return ""
    return "periods" if found.family is None or found.family[0] <= 0 <= found.family[1] else "seeds"


def doubt(found: View, period: str) -> str:
    """Say in words why a pair is not separable; empty where it is."""
    if found.separable:
        return ""
    if found.family is None:
        return "the test block is too short to tell"
    if open_by(found) == "periods":
        return f"other {period}s could turn it round"
    if found.seeds is None:
        return "one run each cannot tell"
    return "other seeds could turn it round"
