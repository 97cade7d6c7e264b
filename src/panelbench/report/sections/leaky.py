"""Experiments whose split leaks: shown beside the sound ones, marked, and never ranked."""

from __future__ import annotations

from typing import Any

from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import table
from panelbench.report.sections import board


def table_of(data: ReportData) -> str:
    """Return the experiments whose split leaks, apart from all others; empty where there is none."""
    if not data.leaky:
        return ""
    rows = []
    for name, entry in data.leaky.items():
        twin = _sound_twin(data, name)
        score = _with_spread(data, name) if entry.n_ok else "failed"
        sound = f"{_with_spread(data, twin)} ({data.md(twin)})" if twin else words.MISSING
        rows.append([data.md(name), score, sound])
    header = ["Leaks, for comparison only", "Mean RMSE", "The same without the leak"]
    return table(header, rows, "lrl", kind="scroll .leaks") + (
        "\nThese learned from targets that they are scored on: their windows were cut first and then divided "
        "by position, so the last training windows reach into the test block. Their errors say what such a "
        "split hides and nothing about the models; they are in no rank, group or test. "
        f"{words.PLUS_MINUS}: standard deviation over seeds."
    )


def nothing_ranked(data: ReportData) -> str:
    """Say why a task has no best model."""
    if any(entry.n_ok for entry in data.leaky.values()):
        return "The split of every experiment that finished leaks, as declared, so nothing is ranked."
    return "No run finished, so there is nothing to compare."


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
