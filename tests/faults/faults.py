"""The faults: killed, no room, no right to write, damaged files, two at once, clocks, no network."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.harness import SECONDS, Fault, Unavailable
from tests.helpers.project import Project

TRAINING = ("train@last_value", "train@rnn")
STAGES = ("validate", "fetch", "prepare", "audit", "train@rnn", "compare", "report", "check")


def stopped_in_training(points: int, seed: int, longest: float) -> Iterator[Fault]:
    """Yield faults that stop the training of all experiments at random moments of `longest` seconds.

    Every third is Ctrl-C, the others are kill -9 of the whole process group.
    """
    drawn = random.Random(seed)  # noqa: S311 - a reproducible choice, not a secret
    for number in range(points):
        after = drawn.uniform(0.05, 0.9) * longest
        kind = signal.SIGINT if number % 3 == 2 else signal.SIGKILL
        what = "Ctrl-C" if kind == signal.SIGINT else "kill -9"
        yield Fault(
            f"{what} after {after:.1f} s of training",
            lambda project, after=after, kind=kind: stop(project, after, kind, *TRAINING),
        )


def killed_in_stages(seed: int) -> Iterator[Fault]:
    """Yield one kill -9 for each stage, at a random moment of its first two seconds."""
    drawn = random.Random(seed)  # noqa: S311
    for stage in STAGES:
        after = drawn.uniform(0.1, 2.0)
        yield Fault(
            f"kill -9 after {after:.1f} s of {stage}",
            lambda project, after=after, stage=stage: kill_in_stage(project, after, stage),
            to_the_end=stage in {"report", "check"},
        )


def kill_in_stage(project: Project, after: float, stage: str) -> str:
    """Run everything before a stage, start it, and kill it some seconds after DVC has started its command."""
    done = STAGES.index(stage) <= STAGES.index("audit")  # in the prepared project
    with project.running("dvc", "repro", *(("--force", "--single-item") if done else ()), stage) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(f"Running stage '{stage}'"):
                break
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=SECONDS)
    return "it was over already" if process.returncode == 0 else f"ended with {process.returncode}"


def stop(project: Project, after: float, kind: signal.Signals, *arguments: str) -> str:
    """Send a signal to everything that a terminal would send it to, some seconds after the start."""
    with project.running("dvc", "repro", *arguments) as process:
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, kind)
        output, _ = process.communicate(timeout=SECONDS)
    lines = [line for line in output.splitlines() if line.startswith(("Running", "rnn:", "last_value:"))]
    return f"ended with {process.returncode} after '{lines[-1] if lines else 'nothing'}'"


def no_room_for_files(project: Project) -> str:
    """Run with a limit on the size of a file, which stands in for a full disk and needs no rights."""
    limited = ["python", "-c", _LIMITED]
    done = project.run(*limited, code=None)
    return _refused(done, "cannot be written")


_LIMITED = """
import os, resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
sys.exit(subprocess.run(["panelbench", "train", "rnn"]).returncode)
"""


def disk_full(project: Project) -> str:
    """Train with `data/` on a file system without room, which needs the right to mount."""
    with _mounted(project, "data", "size=4m") as data:
        (data / "ballast").write_bytes(b"0" * (shutil.disk_usage(data).free - 8192))
        done = project.run("panelbench", "train", "rnn", code=None)
        return _refused(done, "cannot be written")


def read_only(project: Project) -> str:
    """Train where `data/` cannot be written, which for root needs the right to mount."""
    with _mounted(project, "data", "size=4m") as data:
        _as_root("mount", "-o", "remount,ro", str(data))
        done = project.run("panelbench", "train", "rnn", code=None)
        return _refused(done, "cannot be written")


@contextmanager
def _mounted(project: Project, name: str, options: str) -> Iterator[Path]:
    """Yield a folder of the project as a file system of its own, with the folder's content."""
    folder = project.folder / name
    kept = project.folder / f".{name}_aside"
    shutil.copytree(folder, kept)
    _as_root("mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder))
    try:
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        yield folder
    finally:
        _as_root("umount", str(folder))
        shutil.rmtree(kept)


def _as_root(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unavailable(f"{command[0]}: {done.stderr.strip() or 'not allowed'}")


def _refused(done: subprocess.CompletedProcess[str], words: str) -> str:
    lines = done.stdout.strip().splitlines()
    last = lines[-1] if lines else "nothing"
    if done.returncode == 0 or words not in done.stdout or "Traceback" in done.stdout:
        raise AssertionError(f"ended with {done.returncode}, saying '{last}', where '{words}' was due")
    return last[:110]


def damaged(pattern: str, then: Callable[[Project], None] = lambda project: None) -> Callable[[Project], str]:
    """Return a fault that changes one bit in the middle of the first file that matches."""

    def disturb(project: Project) -> str:
        then(project)
        (path, *_) = sorted(project.folder.glob(pattern))
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        return f"{path.name}: one bit of {len(content)} bytes"

    return disturb


def cut_short(pattern: str) -> Callable[[Project], str]:
    """Return a fault that leaves half of the first file that matches."""

    def disturb(project: Project) -> str:
        (path, *_) = sorted(project.folder.glob(pattern))
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        return f"{path.name}: {len(content) // 2} of {len(content)} bytes are left"

    return disturb


def damaged_store(project: Project) -> str:
    """Damage every stored seed, throw the results away, and let DVC's cache be no help."""
    for path in project.folder.glob("data/store/*/*/predictions.parquet"):
        path.write_bytes(path.read_bytes()[:-9])
    shutil.rmtree(project.folder / "data/runs")
    output = project.repro("--force", "--single-item", *TRAINING)[1]
    if output.count("is damaged") != 4:
        raise AssertionError(output)
    return "4 damaged seeds, each said, removed and trained again"


def two_at_once(project: Project) -> str:
    """Start a second `dvc repro` while the first one trains."""
    with project.running("dvc", "repro", "train@rnn") as first:
        assert first.stdout is not None
        for line in first.stdout:
            if line.startswith("rnn: seed"):
                break
        second = project.run("dvc", "repro", "train@rnn", code=None)
        first.communicate(timeout=SECONDS)
    if first.returncode or not second.returncode or "lock" not in second.stdout:
        raise AssertionError(f"{first.returncode}, {second.returncode}: {second.stdout}")
    return f"the second: {' '.join(second.stdout.split())[:100]}"


def clock_moved(project: Project) -> str:
    """Give results dates long ago, sources and settings dates to come, as a clock set back would."""
    past, future = 10**9, time.time() + 10**8
    for path in project.folder.rglob("*"):
        if path.is_file() and ".git" not in path.parts and "cache" not in path.parts:
            made = path.relative_to(project.folder).parts[0] in {"data", "reports"}
            os.utime(path, (past, past) if made else (future, future))
    return "results are of 2001, sources of the future"


def no_network(project: Project) -> str:
    """Train without any network interface, not even the loopback one."""
    probe = subprocess.run(["unshare", "--net", "true"], capture_output=True, text=True, check=False)
    if probe.returncode:
        raise Unavailable(f"unshare: {probe.stderr.strip()}")
    project.run("unshare", "--net", "dvc", "repro")
    return "every stage ran"


ONCE = (
    Fault("no room for files (size limit)", no_room_for_files),
    Fault("full disk (tmpfs)", disk_full),
    Fault("outputs are read-only", read_only),
    Fault("two `dvc repro` at once", two_at_once),
    Fault("no network", no_network),
)
"""Faults of a project in which nothing is trained yet."""
AFTERWARDS = (
    Fault("panel: one bit", damaged("data/panel.parquet")),
    Fault("panel: half", cut_short("data/panel.parquet")),
    Fault("panel.json: half", cut_short("data/panel.json")),
    Fault("forecasts: one bit", damaged("data/runs/rnn/predictions.parquet")),
    Fault("record of runs: half", cut_short("data/runs/rnn/runs.json")),
    Fault("losses: one bit", damaged("data/runs/rnn/history.csv")),
    Fault("metrics: half", cut_short("reports/metrics.json")),
    Fault("every stored seed", damaged_store),
    Fault("clock set back", clock_moved),
)
"""Faults of a finished project."""
