"""The pipeline's last word: every declared run finished and the leak audit passed, or an error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from panelbench.config import Settings
from panelbench.errors import InputError, RunFailure
from panelbench.files import read_model
from panelbench.train.record import RunRecord, load_runs

REPORT = Path("reports/benchmark.html")
SHOWN_FAILURES = 5


class _Check(BaseModel):
    """What is read of one check of the audit; it may say more."""

    title: str
    passed: bool
    detail: str


class _Audit(BaseModel):
    """What is read of reports/audit.json."""

    passed: bool
    checks: tuple[_Check, ...]


def check(settings: Settings, root: Path) -> str:
    """Return one line that says all is well.

    Raises
    ------
    RunFailure
        Naming each experiment with failed or missing seeds, or the audit's failed checks.
    InputError
        If a file of runs or of the audit is absent or damaged.
    """
    audit = _require_audit(root)
    finished = 0
    problems: list[str] = []
    commands: list[str] = []
    for name in settings.experiments:
        runs = load_runs(root / "data" / "runs" / name / "runs.json").runs
        failed = [run for run in runs if not run.ok]
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
    what = f"{count} experiment{'' if count == 1 else 's'}"
    return f"All {finished} runs of {what} finished. {audit} Report: {REPORT}"


def _require_audit(root: Path) -> str:
    """Return one sentence on the audit when it passed.

    Raises
    ------
    RunFailure
        Naming each check that did not pass.
    InputError
        If the file is not what the audit writes, or says that nothing was checked.
    """
    path = root / "reports" / "audit.json"
    remedy = "Delete it and run `dvc repro audit`."
    outcome = read_model(_Audit, path, "is not an outcome of the audit", remedy)
    failed = [entry for entry in outcome.checks if not entry.passed]
    if failed or not outcome.passed:
        named = "; ".join(f"{entry.title} ({entry.detail})" for entry in failed)
        named = named or "no check is named"
        raise RunFailure(f"the leak audit did not pass: {named}. All outcomes are in {path}.")
    if not outcome.checks:
        raise InputError(f"{path} holds no check: nothing was audited. {remedy}")
    return f"The leak audit passed ({len(outcome.checks)} checks)."


def _describe(name: str, runs: Sequence[RunRecord], failed: Sequence[RunRecord]) -> str:
    """Return which seeds of one experiment failed and why the first of them did."""
    if not runs:
        return f"{name}: no run is recorded"
    seeds = ", ".join(str(run.seed) for run in failed)
    reason = str(failed[0].error).rstrip(".")
    return f"{name}: {len(failed)} of {len(runs)} runs failed (seed {seeds}: {reason})"
