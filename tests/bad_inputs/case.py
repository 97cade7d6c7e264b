"""One bad input: what it consists of, how it is run, and what a clear error is."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import yaml

from panelbench.cli import main
from panelbench.panel import download
from tests.helpers.params import MINIMAL
from tests.helpers.watching import Watched, watched

LONGEST = 1500
"""Characters of an error that is still one paragraph."""
PANEL = {
    "source": "csv",
    "path": "data/user/mine.csv",
    "time": "week",
    "id": ["shop", "line"],
    "target": "sold",
    "future": ["promo"],
    "static": ["region"],
}
PARAMS: dict[str, Any] = {
    **MINIMAL,
    "panel": PANEL,
    "split": {"test_steps": 2, "validation_steps": 1},
    "seeds": [0],
    "defaults": {"lookback": 1},
}
Content = str | bytes | Callable[[Path], None]


@dataclass(frozen=True)
class Case:
    """A bad input and what its error must say.

    Attributes
    ----------
    file, place, value, remedy
        Patterns that the message must match: what is wrong in which file, where in it, what was found there,
        what to do. An empty pattern where there is none (an empty file has no value).
    params
        The text of params.yaml, groups that replace those of `PARAMS`, or None for no such file.
    files
        Other files by their path in the project, as content or as a function that makes them.
    stages
        Commands in the order they are run; the first that fails is judged.
    """

    name: str
    file: str
    place: str
    value: str
    remedy: str
    params: str | bytes | Mapping[str, Any] | None = field(default_factory=dict)
    files: Mapping[str, Content] = field(default_factory=dict)
    stages: tuple[str, ...] = ("validate", "fetch", "prepare")
    code: int = 2
    asks_network: bool = False

    def write(self, project: Path) -> None:
        """Make the project that has this input."""
        for name, content in self.files.items():
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if self.params is None:
            return
        text = self.params
        if isinstance(text, Mapping):
            text = yaml.safe_dump({**PARAMS, **text}, sort_keys=False, allow_unicode=True)
        (project / "params.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())


@dataclass(frozen=True)
class Outcome:
    """What the last command that was run did."""

    stage: str
    code: int
    error: str
    seen: Watched


def run(case: Case, sandbox: Path) -> Outcome:
    """Run the case's commands in this process, in `sandbox`/project, until one fails."""
    project = sandbox / "project"
    project.mkdir()
    case.write(project)
    with contextlib.chdir(project), mock.patch.object(download, "BACKOFF", 0.0), watched() as seen:
        for stage in case.stages:
            code, error = call(*stage.split())
            if code:
                break
    return Outcome(stage, code, error, seen)


def call(*arguments: str) -> tuple[int, str]:
    """Run one panelbench command in this process; return its exit code and what it told on stderr."""
    told = io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["panelbench", *arguments]),
        contextlib.redirect_stderr(told),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        try:
            main.run()
        except SystemExit as stopped:
            return int(stopped.code or 0), told.getvalue()
    return 0, told.getvalue()


def faults(case: Case, outcome: Outcome, sandbox: Path) -> list[str]:
    """Return what is not as it should be; nothing for a clear error."""
    project = sandbox / "project"
    message = outcome.error
    found = []
    if outcome.code != case.code:
        found.append(f"exit code {outcome.code} in {outcome.stage}, not {case.code}")
    if len(message.splitlines()) != 1 or not message.startswith("panelbench: ") or len(message) > LONGEST:
        found.append("not one paragraph")
    if "Traceback" in message or "a fault in panelbench" in message:
        found.append("the program's own fault")
    found += [
        f"does not name the {what} ({pattern})"
        for what in ("file", "place", "value", "remedy")
        if (pattern := getattr(case, what)) and not re.search(pattern, message)
    ]
    made = [
        name for name in ("panel.parquet", "panel.json", "audited.txt") if (project / "data" / name).exists()
    ]
    early = outcome.stage in {"validate", "fetch", "prepare"}
    if early and made:
        found.append(f"wrote {', '.join(made)}")
    if outcome.stage == "validate" and (project / main.VALIDATED).exists():
        found.append("says that params.yaml is valid")
    left = [path.name for path in project.rglob("*") if path.name.endswith((".tmp", ".part", ".part.json"))]
    if left:
        found.append(f"left {', '.join(left)}")
    if outside := outcome.seen.outside(project):
        found.append(f"wrote outside: {outside[:3]}")
    if outcome.seen.processes or outcome.seen.ports or (outcome.seen.connections and not case.asks_network):
        found.append("started a process or used the network")
    return found


def judge(case: Case, sandbox: Path) -> tuple[Outcome, list[str]]:
    """Run a case in a fresh folder below `sandbox` and return the outcome with its faults."""
    outcome = run(case, sandbox)
    found = faults(case, outcome, sandbox)
    shutil.rmtree(sandbox / "project")
    return outcome, found
