"""Find and await other processes, which on Linux /proc and pidfds allow."""

from __future__ import annotations

import os
import select
from collections.abc import Collection
from pathlib import Path


def children(parent: int, beside: Collection[int] = ()) -> list[int]:
    """Return the process ids whose parent is `parent`, ended ones and those in `beside` left out."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = stat.read_text("utf-8", errors="replace").split(" (", 1)
        except OSError:  # it ended meanwhile
            continue
        state, ppid = rest.rsplit(") ", 1)[1].split()[:2]
        if int(ppid) == parent and state not in "ZX" and int(pid) not in beside:
            found.append(int(pid))
    return sorted(found)


def last_descendants(parent: int, beside: Collection[int] = ()) -> list[int]:
    """Return the descendants of `parent` that have no children themselves: its workers, however started.

    `beside` names children to be left out, such as those that another test's library started.
    """
    found = []
    waiting = children(parent, beside)
    while waiting:
        pid = waiting.pop()
        below = children(pid)
        waiting += below
        if not below:
            found.append(pid)
    return sorted(found)


def ended(handle: int, seconds: float) -> bool:
    """Wait until the process behind a pidfd has ended; return whether it did in time."""
    readable, _, _ = select.select([handle], [], [], seconds)
    os.close(handle)
    return bool(readable)
