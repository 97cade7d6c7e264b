"""The pipeline's last word: every declared run finished and the leak audit passed, or an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from panelbench.config import Settings
from panelbench.errors import RunFailure
from panelbench.files import read_json

REPORT = Path("reports/benchmark.html")
SHOWN_FAILURES = 5


def check(settings: Settings, root: Path) -> str:
    """Return one line that says all is well.

    Raises
    ------
    RunFailure
        Naming each experiment with failed or missing seeds, or the audit's failed checks.
    """
    audit = _require_audit(root)
    finished = 0
    problems: list[str] = []
    commands: list[str] = []
    for name in settings.experiments:
        runs = read_json(root / "data" / "runs" / name / "runs.json")["runs"]
        failed = [run for run in runs if run["status"] != "ok"]
        finished += len(runs) - len(failed)
        if failed or not runs:
            problems.append(_describe(name, runs, failed))
            commands.append(f"dvc repro -s -f train@{name}")
    if problems:
        hidden = len(problems) - SHOWN_FAILURES
        more = f" (and {hidden} more experiments)" if hidden > 0 else ""
        raise RunFailure(
            f"{'; '.join(problems[:SHOWN_FAILURES])}{more}. {REPORT} shows the others and marks what failed; "
            "tracebacks are in data/runs/<experiment>/runs.json. Change the experiment in params.yaml, "
            f"or repeat it with `{commands[0]}`, then run `dvc repro` again."
        )
    count = len(settings.experiments)
    return f"All {finished} runs of {count} experiments finished. {audit} Report: {REPORT}"


def _require_audit(root: Path) -> str:
    """Return one sentence on the audit when it passed.

    Raises
    ------
    RunFailure
        Naming each check that did not pass.
    """
    path = root / "reports" / "audit.json"
    outcome = read_json(path)
    failed = [entry for entry in outcome["checks"] if not entry["passed"]]
    if failed or not outcome["passed"]:
        named = "; ".join(f"{entry['title']} ({entry['detail']})" for entry in failed)
        named = named or "no check is named"
        raise RunFailure(f"the leak audit did not pass: {named}. All outcomes are in {path}.")
    return f"The leak audit passed ({len(outcome['checks'])} checks)."


def _describe(name: str, runs: list[Any], failed: list[Any]) -> str:
    """Return which seeds of one experiment failed and why the first of them did."""
    if not runs:
        return f"{name}: no run is recorded"
    seeds = ", ".join(str(run["seed"]) for run in failed)
    reason = str(failed[0]["error"]).rstrip(".")
    return f"{name}: {len(failed)} of {len(runs)} runs failed (seed {seeds}: {reason})"
