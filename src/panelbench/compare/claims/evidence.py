"""All that claims are judged by: scored runs, their records and notes, the panel, the audit's checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from panelbench.compare.metrics import Scores
from panelbench.compare.runs import Outcome
from panelbench.config.settings import CompareSettings
from panelbench.config.strict import nearest
from panelbench.errors import InputError
from panelbench.files import read_json
from panelbench.panel.panel import Panel


class NotMeasurable(Exception):
    """A figure cannot be had; the message is the reason, as a clause without a full stop."""


@dataclass(frozen=True)
class Evidence:
    """What the judge looks at.

    Attributes
    ----------
    outcomes
        The declared experiments, finished or not.
    scores
        Those with a finished seed.
    records
        By experiment and seed, the finished runs' records as runs.json holds them.
    checks
        The audit's checks by id.
    test_start
        Index of the first test period; None where no run finished.
    """

    settings: CompareSettings
    outcomes: Mapping[str, Outcome]
    scores: Mapping[str, Scores]
    panel: Panel
    records: Mapping[str, Mapping[int, Mapping[str, Any]]] = field(default_factory=dict)
    checks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    test_start: int | None = None

    def scored(self, name: str) -> Scores:
        """Return a finished experiment's scores.

        Raises
        ------
        NotMeasurable
            If it is not declared or no seed finished.
        """
        if name not in self.outcomes:
            raise NotMeasurable(
                f"params.yaml declares no experiment '{name}'.{nearest(name, self.outcomes)}".removesuffix(
                    "."
                )
            )
        if name not in self.scores:
            raise NotMeasurable(f"no seed of '{name}' finished")
        return self.scores[name]

    def finished_records(self, name: str) -> Mapping[int, Mapping[str, Any]]:
        """Return the records of an experiment's finished seeds, by seed.

        Raises
        ------
        NotMeasurable
            If it is not declared or no seed finished.
        """
        self.scored(name)
        return self.records[name]


def read_records(runs: Path, outcomes: Mapping[str, Outcome]) -> dict[str, dict[int, dict[str, Any]]]:
    """Read the finished runs' records, whose notes and row counts claims may be about."""
    found = {}
    for name, outcome in outcomes.items():
        stored = read_json(runs / name / "runs.json")["runs"]
        found[name] = {int(run["seed"]): run for run in stored if int(run["seed"]) in outcome.seeds}
    return found


def read_checks(path: Path) -> dict[str, dict[str, Any]]:
    """Return the audit's checks by id; none where the audit has not run.

    Raises
    ------
    InputError
        If the file is not what the audit writes.
    """
    if not path.is_file():
        return {}
    content = read_json(path)
    checks = content.get("checks") if isinstance(content, dict) else None
    if not isinstance(checks, list) or not all(isinstance(one, dict) and "id" in one for one in checks):
        raise InputError(
            f"{path} is not an outcome of the audit: it has no list of checks. Delete it and run "
            "`dvc repro audit`."
        )
    return {str(check["id"]): dict(check) for check in checks}
