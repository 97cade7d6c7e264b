"""Disturb a run of the whole pipeline, let `dvc repro` go on, and hold its bytes against an undisturbed run.

Each trial starts from a copy of the same prepared project: everything up to the leak audit is done, nothing
is trained.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.project import Project

SETTINGS = """\
panel: {source: synthetic, series: 3, steps: 60}
split: {test_steps: 6, validation_steps: 3}
seeds: [0, 1, 2]
defaults: {lookback: 6, horizon: 1, epochs: 3, batch_size: 32, device: cpu}
experiments:
  last_value: {model: last_value}
  rnn: {model: rnn, hidden: 4}
ablations: {}
execution: {workers: 2, threads: 1}
quick: {}
compare: {block_length: 2, resamples: 100}
report: {}
claims: []
robustness: {}
"""
SAME = (
    "data/panel.parquet",
    "data/panel.json",
    "data/runs/*/predictions.parquet",
    "data/runs/*/history.csv",
    "reports/audit.json",
    "reports/metrics.json",
    "reports/leaderboard.csv",
    "reports/scores.csv",
)
"""What must have the same bytes. Records of runs and the report state seconds, which never repeat."""
SECONDS = 300
"""After which a disturbed command counts as hanging."""


@dataclass(frozen=True)
class Fault:
    """One way of disturbing a run.

    Attributes
    ----------
    name
        What is done, in a few words.
    disturb
        Does it, to a prepared project; returns what was seen.
    to_the_end
        Whether all stages are run afterwards, instead of the harness's.
    """

    name: str
    disturb: Callable[[Project], str]
    to_the_end: bool = False


@dataclass(frozen=True)
class Trial:
    """What came of one fault."""

    name: str
    seen: str
    wrong: str

    @property
    def survived(self) -> bool:
        """Whether the bytes of the undisturbed run were reached and nothing was left lying about."""
        return not self.wrong


class Unavailable(Exception):
    """This machine or this user cannot produce the fault; the text says why."""


class Harness:
    """A prepared project and what an undisturbed run makes of it.

    Parameters
    ----------
    goal
        The stages up to which runs go, disturbed or not; none for all.
    """

    def __init__(self, folder: Path, *goal: str) -> None:
        self._folder = folder
        self._goal = goal
        self._trials = 0
        self.prepared = Project(folder / "prepared", SETTINGS)
        self.prepared.repro("audit")
        undisturbed = self.fresh()
        undisturbed.repro(*goal)
        self.finished = undisturbed
        self.expected = digests(undisturbed.folder)

    def fresh(self, finished: bool = False) -> Project:
        """Return a copy of the project as prepared, or as an undisturbed run left it."""
        self._trials += 1
        source = self.finished if finished else self.prepared
        return source.copy_to(self._folder / f"trial_{self._trials}")

    def try_out(self, fault: Fault, finished: bool = False) -> Trial:
        """Disturb a fresh copy, let `dvc repro` go on, and compare."""
        project = self.fresh(finished)
        try:
            seen = fault.disturb(project)
            goal = () if fault.to_the_end else self._goal
            done = project.run("dvc", "repro", *goal, code=None)
            if done.returncode and "RWLock-file" in done.stdout:  # DVC was killed while it wrote its locks
                project.run("panelbench", "validate")  # as docs/architecture.md says
                seen += "; `panelbench validate` removed DVC's broken list of locks"
                done = project.run("dvc", "repro", *goal, code=None)
            if done.returncode:
                lines = done.stdout.strip().splitlines()
                return Trial(fault.name, seen, f"`dvc repro` ended with {done.returncode}: {lines[-1:]}")
            return Trial(fault.name, seen, self._compare(project))
        except subprocess.TimeoutExpired as error:
            return Trial(fault.name, "", f"{error.cmd} hangs")
        finally:
            shutil.rmtree(project.folder, ignore_errors=True)

    def _compare(self, project: Project) -> str:
        found = digests(project.folder)
        differing = sorted(
            name for name in self.expected.keys() | found.keys() if self.expected.get(name) != found.get(name)
        )
        left = [*project.folder.glob("data/.unfinished/*"), *project.folder.glob("data/**/.*.tmp")]
        told = [f"{', '.join(differing)} differ"] if differing else []
        told += [f"{', '.join(path.name for path in left)} is left over"] if left else []
        return "; ".join(told)


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file whose bytes must be the same."""
    files = sorted(file for pattern in SAME for file in folder.glob(pattern))
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
