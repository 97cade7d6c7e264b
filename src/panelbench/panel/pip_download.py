"""Let pip download one wheel, without installing anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from panelbench.errors import RunFailure

TIMEOUT = 300


def wheel(requirement: str, folder: Path) -> Path:
    """Download the wheel of one pinned requirement into `folder` and return its path.

    pip runs with the user's own index settings, so a mirror or a proxy works as it does for installing.

    Raises
    ------
    RunFailure
        If pip is absent, fails or takes longer than five minutes; says what needs no network.
    """
    command = [
        *(sys.executable, "-m", "pip", "download", requirement, "--no-deps", "--only-binary=:all:"),
        *("--disable-pip-version-check", "--no-input", "--retries", "3", "--timeout", "20", "--quiet"),
        *("--dest", str(folder)),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise RunFailure(_message(requirement, f"it took longer than {TIMEOUT} s")) from error
    except OSError as error:
        raise RunFailure(_message(requirement, str(error.strerror))) from error
    if done.returncode != 0:
        raise RunFailure(_message(requirement, _reason(done.stderr)))
    found = sorted(folder.glob("*.whl"))
    if len(found) != 1:
        raise RunFailure(_message(requirement, f"it left {len(found)} wheels"))
    return found[0]


def _reason(stderr: str) -> str:
    """Return pip's last error line, which is the one that says what it could not do."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it gave no reason"])[-1].removeprefix("ERROR: ")[:300].rstrip(".")


def _message(requirement: str, reason: str) -> str:
    return (
        f"The wheel of {requirement} could not be downloaded with pip: {reason}. Without a network pip finds "
        "nothing at all: connect and run `dvc repro` again, or name a local copy of the wheel as panel.path "
        "in "
        "params.yaml, or run the made-up panel, which needs no network: `cp presets/synthetic.yaml "
        "params.yaml "
        "&& dvc repro`."
    )
