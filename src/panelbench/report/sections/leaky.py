"""Experiments whose split leaks: shown beside the sound ones, marked, and never ranked."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import table
from panelbench.report.sections import board


def table_of(data: ReportData) -> str:
    """Return the experiments whose split leaks, apart from all others; empty where there is none."""
    if not data.leaky:
        return ""
    rows, changes = [], []
    for name, entry in data.leaky.items():
        twin = _sound_twin(data, name)
        score = _with_spread(data, name) if entry.n_ok else "failed"
        sound = f"{_with_spread(data, twin)} ({data.md(twin)})" if twin else words.MISSING
        change = paired(data, name, twin) if twin else None
        if change:
            changes.append(change)
        rows.append([f"[leaks]{{.leak}} {data.md(name)}", score, sound, _change(change)])
    unit = words.escape(data.unit)
    header = ["Leaky split", f"Mean RMSE ({unit})", "The same without the leak", "What the leak changes"]
    level = words.percent(data.comparison.method.confidence)
    what = (
        f"{words.number(len(rows), 0)} experiments leak, as declared: they learned from targets that they "
        "are scored on, and stand in no rank, group or test."
        if len(rows) > 1
        else "One experiment leaks, as declared: it learned from targets that it is scored on, and stands in "
        "no rank, group or test."
    )
    return (
        f"::: {{.leaks}}\n\n**{what}** Windows were cut first and then divided by position, so the last "
        f"training windows reach into the test block.\n\n{table(header, rows, 'lrll')}\n{_finding(changes)} "
        f"{words.PLUS_MINUS}: standard deviation over seeds; in brackets: {level} paired t interval over n "
        "seeds.\n\n:::"
    )


def nothing_ranked(data: ReportData) -> str:
    """Say why a task has no best model."""
    if any(entry.n_ok for entry in data.leaky.values()):
        return "The split of every experiment that finished leaks, as declared, so nothing is ranked."
    return "No run finished, so there is nothing to compare."


def paired(data: ReportData, name: str, twin: str) -> tuple[float, float, float, int] | None:
    """Return the mean difference of an experiment and another over common seeds, its interval, and n.

    Paired t interval at the comparison's confidence; None with fewer than two common seeds.
    """
    scores = [
        dict(zip(data.comparison.experiments[one].seeds, data.rmse(one).tolist(), strict=True))
        for one in (name, twin)
    ]
    differences = np.array([scores[0][seed] - scores[1][seed] for seed in scores[0] if seed in scores[1]])
    if differences.size < 2:
        return None
    half = float(stats.t.ppf(0.5 + data.comparison.method.confidence / 2, differences.size - 1))
    half *= float(differences.std(ddof=1)) / differences.size**0.5
    middle = float(differences.mean())
    return middle, middle - half, middle + half, differences.size


def _change(found: tuple[float, float, float, int] | None) -> str:
    if found is None:
        return words.MISSING
    middle, low, high, n = found
    return f"{words.gap(middle, (high - low) / 2)} ({words.interval(low, high, sign=True)}, n = {n})"


def _finding(changes: list[tuple[float, float, float, int]]) -> str:
    """Say what the leak was worth, as far as seeds can tell."""
    caution = "A leak need not lower the error to spoil it: nobody can say by how much it is off."
    if not changes:
        return f"No sound experiment stands beside it. {caution}"
    flattered = sum(high < 0 for _, _, high, _ in changes)
    if not flattered:
        return f"Here the leak lowers no error by more than other seeds could turn round. {caution}"
    of = f"in {flattered} of {len(changes)} cases" if len(changes) > 1 else "here"
    return f"The leak makes the error look lower {of} by more than seeds explain."


def _with_spread(data: ReportData, name: str) -> str:
    """Return an experiment's mean error and its standard deviation over seeds."""
    found = data.sd(name)
    return board.mean(data, name) + (f" {words.PLUS_MINUS} {words.spread(found)}" if found else "")


def _sound_twin(data: ReportData, name: str) -> str | None:
    """Return the finished experiment that differs from a leaky one in nothing but the leak."""

    def own(one: str) -> dict[str, Any]:
        settings = data.run_settings(one).items()
        return {key: value for key, value in settings if key not in {"boundary", "label"}}

    wanted = own(name)
    return next((other for other in data.finished if own(other) == wanted), None)
