"""Run a command and say what it took; print tables; describe the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from panelbench.train.place import processor_name

INTERVAL = 0.1
"""Seconds between two looks at the memory of the processes."""
SHARE = 0.04
"""Of one core, at most, for these looks: beside large processes they are made less often."""


@dataclass(frozen=True)
class Usage:
    """What a command took, all its descendants included.

    Attributes
    ----------
    wall, cpu
        Seconds; `cpu` is user and system time of every process.
    peak_mib
        Largest memory of all processes together, looked at every `INTERVAL` seconds or more; a page that
        several share is counted once (proportional set size). None where /proc does not tell.
    output
        What it printed on stdout.
    """

    wall: float
    cpu: float
    peak_mib: float | None
    output: str


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> Usage:
    """Run a command to its end.

    Raises
    ------
    SystemExit
        With the end of what it printed, if it failed.
    """
    began = time.perf_counter()
    process = subprocess.Popen(
        list(command),
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    peak: list[float] = []
    watcher = threading.Thread(target=_watch, args=(process.pid, peak), daemon=True)
    watcher.start()
    before = os.times()
    output, errors = process.communicate()
    wall = time.perf_counter() - began
    after = os.times()
    if process.returncode:
        said = f"{output[-2000:]}{errors[-4000:]}"
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{said}")
    cpu = (after.children_user - before.children_user) + (after.children_system - before.children_system)
    return Usage(wall, cpu, max(peak, default=None), output)


def python(*arguments: str) -> list[str]:
    """Return a command that runs this interpreter."""
    return [sys.executable, *arguments]


def _watch(root: int, peak: list[float]) -> None:
    """Append the memory of a process and its descendants again and again until it ends."""
    while True:
        began = time.perf_counter()
        total = sum(_mib(process) for process in _family(root))
        if not total:
            return
        peak.append(total)
        time.sleep(max(INTERVAL, (time.perf_counter() - began) / SHARE))


def _family(root: int) -> list[int]:
    """Return a process and its descendants, as far as /proc shows them."""
    found = [root]
    for process in found:
        try:
            children = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
            for thread in Path(f"/proc/{process}/task").iterdir():
                if thread.name != str(process):
                    children += (thread / "children").read_text("ascii").split()
        except OSError:
            continue
        found.extend(int(child) for child in children)
    return found


def _mib(process: int) -> float:
    """Return a process's proportional set size; 0 where it is gone or cannot be read."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def machine() -> dict[str, str]:
    """Return what a figure depends on besides the code: processor, cores, system, versions, date."""
    return {
        "processor": processor_name(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "system": platform.system() + " " + platform.machine(),
        "python": platform.python_version(),
        "torch": metadata.version("torch"),
        "date": datetime.now(UTC).date().isoformat(),
        "load": f"{os.getloadavg()[0]:.1f} when it began",
    }


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table, its columns lined up; the first to the left, numbers to the right."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[i]) for line in [list(header), *texts]) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        first, *rest = zip(cells, widths, strict=True)
        aligned = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        return f"| {' | '.join(aligned)} |"

    rule = "|" + "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])]) + "|"
    return "\n".join([line(list(header)), rule, *(line(row) for row in texts)])


def number(value: float | None, digits: int = 1) -> str:
    """Return a number for a table; a dash where there is none."""
    return "-" if value is None else f"{value:,.{digits}f}"


def save(path: Path | None, what: str, content: Mapping[str, Any]) -> None:
    """Write the measurement as JSON with the machine beside it; nothing without a path."""
    if path is not None:
        text = json.dumps({"what": what, "machine": machine(), **content}, indent=2)
        path.write_text(text + "\n", "utf-8")
        print(f"\nWritten to {path}.")


def heading(what: str) -> None:
    """Print what is measured, where and when."""
    facts = machine()
    named = ("processor", "cores", "system", "python", "torch", "date", "load")
    print(what + "\n" + ", ".join(f"{name}: {facts[name]}" for name in named) + "\n")
