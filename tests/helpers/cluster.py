"""A real Dask scheduler and real workers, each a process of its own on the loopback address."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.processes import children

LIMIT = 120
"""Seconds after which a process counts as not coming up."""


@dataclass
class Cluster:
    """What runs, and where its scheduler is."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]

    def busy(self) -> list[subprocess.Popen[bytes]]:
        """Return the workers that have a process of their own at work."""
        return [worker for worker in self.workers if children(worker.pid)]

    def close(self) -> None:
        """End everything that still runs."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


def start_cluster(folder: Path, workers: int) -> Cluster:
    """Start a scheduler on a free port and its workers; return when all of them have met."""
    folder.mkdir(parents=True)
    told = folder / "scheduler.json"
    scheduler = _dask(folder, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                      "--no-show", "--scheduler-file", str(told))  # fmt: skip
    cluster = Cluster("", scheduler, [])
    try:
        until(told.exists, scheduler)
        cluster.address = json.loads(told.read_text())["address"]
        for _ in range(workers):
            worker = _dask(folder, "worker", cluster.address, "--host", "127.0.0.1", "--no-nanny",
                           "--no-dashboard", "--nthreads", "1", "--memory-limit", "0",
                           "--local-directory", str(folder))  # fmt: skip
            cluster.workers.append(worker)
        from distributed import Client

        with Client(cluster.address, timeout=LIMIT) as client:
            client.wait_for_workers(workers, timeout=LIMIT)
    except BaseException:
        cluster.close()
        raise
    return cluster


def until(happened: object, process: subprocess.Popen[bytes]) -> None:
    """Wait until `happened()` is true; an error if the process ends or the limit passes before."""
    assert callable(happened)
    end = time.monotonic() + LIMIT
    while not happened():
        assert process.poll() is None, f"it ended with {process.returncode}"
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def _dask(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    with (folder / f"{arguments[0]}.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments],
            cwd=folder, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, stdout=log, stderr=log,
        )  # fmt: skip
