"""A copy of the working tree in another folder, on which real DVC runs."""

from __future__ import annotations

import copy
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
SMOKE = (ROOT / "presets" / "smoke.yaml").read_text("utf-8")
LIMIT = 900
"""Seconds after which a command counts as hanging."""


class Project:
    """A clone with its own git history, whose commands use this interpreter's environment."""

    def __init__(self, folder: Path, params: str) -> None:
        self.folder = folder
        self.params = folder / "params.yaml"
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "DVC_"))
        }
        self.environment = environment | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder / "src"),
            "DVC_SITE_CACHE_DIR": str(folder.parent / "dvc_site"),
            "SHELL": "/bin/sh",
            "COLUMNS": "200",
        }
        for name in tracked_files():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
        self.params.write_text(params)
        self.commit("init", "-q", "--initial-branch=main")

    def copy_to(self, folder: Path) -> Project:
        """Return a copy of the clone as it is now, results and DVC's cache included."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return self._at(folder)

    def clone_to(self, folder: Path) -> Project:
        """Return a fresh clone of the last commit: no results, no cache."""
        self.run("git", "clone", "-q", str(self.folder), str(folder))
        return self._at(folder)

    def _at(self, folder: Path) -> Project:
        other = copy.copy(self)
        other.folder = folder
        other.params = folder / "params.yaml"
        other.environment = self.environment | {
            "PYTHONPATH": str(folder / "src"),
            "DVC_SITE_CACHE_DIR": str(folder.parent / f"{folder.name}_dvc_site"),
        }
        return other

    def commit(self, *first: str) -> None:
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
        if first:
            self.run("git", *first)
        self.run("git", "add", "--all")
        self.run("git", *identity, "commit", "-q", "--allow-empty", "-m", "state")

    def run(self, *command: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run a command in the clone; stdout and stderr come together, as a user sees them."""
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, text=True, timeout=LIMIT, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert code is None or done.returncode == code, (
            f"{command} ended with {done.returncode}:\n{done.stdout}"
        )
        return done

    def repro(self, *options: str, code: int = 0) -> tuple[list[str], str]:
        """Run `dvc repro`; return the stages whose commands ran, in order, and all output."""
        output = self.run("dvc", "repro", *options, code=code).stdout
        return stages_run(output), output

    def edit(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Change params.yaml."""
        content = yaml.safe_load(self.params.read_text())
        change(content)
        self.params.write_text(yaml.safe_dump(content, sort_keys=False))

    @contextmanager
    def running(self, *command: str) -> Iterator[subprocess.Popen[str]]:
        """Start a command in a process group of its own, as a terminal does."""
        process = subprocess.Popen(
            command, cwd=self.folder, env=self.environment, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            # A job started in the background ignores Ctrl-C, and what it starts inherits that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )  # fmt: skip
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate(timeout=LIMIT)


def tracked_files() -> list[str]:
    """Every file of the working tree that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file() and name != "dvc.lock"]


def stages_run(output: str) -> list[str]:
    """The stages whose commands DVC started (a result taken from the cache is not a run)."""
    return re.findall(r"^Running stage '([^']+)':", output, re.MULTILINE)


def digests(folder: Path, *patterns: str) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder that matches a pattern."""
    files = sorted(file for pattern in patterns for file in folder.glob(pattern))
    assert files, f"nothing matches {patterns}"
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
