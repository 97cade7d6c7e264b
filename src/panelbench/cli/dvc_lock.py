"""Take away DVC's list of locks where a killed DVC left half of it: every later `dvc` stops at it."""

from __future__ import annotations

import json
import time
from pathlib import Path

LOCKS = Path(".dvc/tmp/rwlock")
SETTLED = 0.5
"""Seconds since the last write from which nobody is about to finish it; DVC writes it within milliseconds."""


def remove_broken_locks(root: Path) -> bool:
    """Remove the file if it is no JSON and nobody is writing it; return whether it was removed.

    What it listed is lost with nothing: DVC drops the locks of processes that have ended anyway.
    """
    path = root / LOCKS
    try:
        age = abs(time.time() - path.stat().st_mtime)
        json.loads(path.read_text("utf-8"))
    except OSError:  # there is none
        return False
    except ValueError:
        if age < SETTLED:
            return False
        path.unlink(missing_ok=True)
        return True
    return False
