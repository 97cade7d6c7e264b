"""Where a result comes from: source, revision, library versions, machine."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

import panelbench
from panelbench.train.place import processor
from panelbench.train.record import Identity

SOURCES = (
    "__init__.py",
    "errors.py",
    "files.py",
    "config",
    "panel/__init__.py",
    "panel/panel.py",
    "data",
    "models",
    "train",
)
"""The code that a run executes: what dvc.yaml names for the stage train."""
LIBRARIES = ("torch", "numpy", "pandas", "scikit-learn", "scipy", "xgboost", "statsmodels")


def identify(panel_sha256: str, threads: int) -> Identity:
    """Return what identifies runs on this panel, by this code, on this machine."""
    source = Path(panelbench.__file__).parent
    return Identity(
        panel_sha256=panel_sha256,
        code_sha256=hash_source(source),
        git_revision=git_revision(source),
        versions=versions(),
        threads=threads,
        platform=platform.platform(),
        cpu_count=available_cores(),
        processor=processor(),
    )


def hash_source(source: Path) -> str:
    """Return one SHA-256 over names and bytes of the Python files that a run executes."""
    places = [source / name for name in SOURCES]
    files = {file for place in places for file in ([place] if place.is_file() else place.rglob("*.py"))}
    digest = hashlib.sha256()
    for file in sorted(files):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(source).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def git_revision(source: Path) -> str | None:
    """Return the commit that holds the source, "+dirty" appended where the source differs from it.

    None where git is absent or does not track the source (an installed package inside some other
    repository is not described by that repository's commit).
    """
    tracked = _git(source, "ls-files", "--error-unmatch", "__init__.py")
    head = _git(source, "rev-parse", "HEAD")
    changes = _git(source, "status", "--porcelain", "--", ".")
    if tracked is None or head is None or changes is None:
        return None
    return head + ("+dirty" if changes else "")


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what a git command prints, or None where it fails."""
    command = ["git", "-C", str(folder), "--no-optional-locks", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)  # noqa: S603 - fixed
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def versions() -> dict[str, str]:
    """Return the versions of Python, this package and the numerical libraries, without importing them."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "absent"
    return found | {"panelbench": panelbench.__version__}


def available_cores() -> int:
    """Return how many cores this process may use: its affinity, cut by a container's quota (cgroup v2)."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
        cores = min(cores, max(1, int(quota) // int(period)))
    except (OSError, ValueError):  # no such file, or "max": no quota
        pass
    return cores
