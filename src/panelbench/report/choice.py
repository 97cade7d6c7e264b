"""Which experiments the first screen and the figures show where there are too many to read."""

from __future__ import annotations

from panelbench.compare.groups import letters
from panelbench.report import words
from panelbench.report.data import ReportData

MANY = 16
"""Up to this many experiments all are shown; beyond, a page of them answers nothing at a glance."""


def shown(data: ReportData) -> list[str]:
    """Return the experiments to show, in order of error, failed ones at the end; all where they are few."""
    names = list(data.experiments)
    if len(names) <= MANY:
        return names
    wanted = {*_base(data), *list(data.finished)[:1], *_one_a_model(data, data.baselines)}
    reference = data.settings.compare.reference
    return [name for name in names if name in wanted or name == reference]


def finished(data: ReportData) -> list[str]:
    """Return the experiments to show that have a finished seed, in order of error."""
    return [name for name in shown(data) if name in data.finished]


def folded(data: ReportData) -> int:
    """Return how many experiments are left to the folded table."""
    return len(data.experiments) - len(shown(data))


def rule(data: ReportData) -> str:
    """Say in one sentence which experiments are shown and where the rest is; empty where all are."""
    if not folded(data):
        return ""
    protocols = data.settings.robustness.protocols
    first = (
        f"the models of the first protocol (“{words.escape(next(iter(protocols.values())).title)}”)"
        if protocols
        else "the most accurate experiment of each model"
    )
    return (
        f"Shown are {len(shown(data))} of {len(data.experiments)} experiments: {first}, the most accurate of "
        "all, and the rules that learn nothing."
    )


def groups(data: ReportData) -> dict[str, str]:
    """Return the group letters of the experiments shown, by the comparison's own verdict on each pair.

    Letters of sixty experiments fill a line each; among those shown, a few suffice for the same statement.
    """
    names = finished(data)
    if not folded(data):
        return {name: data.experiments[name].group for name in names}
    apart = [
        (pair.a, pair.b)
        for pair in data.comparison.pairs
        if pair.separable and pair.a in names and pair.b in names
    ]
    return letters(names, apart)


def _base(data: ReportData) -> list[str]:
    protocols = data.settings.robustness.protocols
    if protocols:
        return list(next(iter(protocols.values())).experiments.values())
    return _one_a_model(data, list(data.experiments))


def _one_a_model(data: ReportData, names: list[str]) -> list[str]:
    """Return the first of each model among `names`, which are in order of error."""
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(data.experiments[name].model, name)
    return list(first.values())
