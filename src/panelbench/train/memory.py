"""The largest memory a process has used."""

from __future__ import annotations

import sys
from pathlib import Path


def peak_memory_mib() -> float | None:
    """Return this process's largest resident memory in MiB; None where it cannot be read.

    Linux tells it per program (VmHWM). `getrusage` alone would not do there: its maximum survives exec,
    so a small worker would report the size of the process that started it.
    """
    try:
        for line in Path("/proc/self/status").read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):
                return round(int(line.split()[1]) / 1024, 1)
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)
