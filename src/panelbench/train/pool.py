"""Carry out jobs in fresh local processes, several at a time; whatever happens, none is left behind."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from panelbench.errors import InputError, PanelbenchError, RunFailure
from panelbench.train.job import STDERR, Job
from panelbench.train.place import Place
from panelbench.train.processes import Spawned, Worker
from panelbench.train.record import RunRecord
from panelbench.train.signals import uninterrupted
from panelbench.train.templates import Templates

TAIL = 4000
"""Characters of a dead worker's stderr that are kept."""


class Observer(Protocol):
    """Who is told how the jobs go; called from several threads."""

    def started(self, job: Job) -> None: ...
    def epoch(self, job: Job, done: int, total: int) -> None: ...

    def ended(self, job: Job, record: RunRecord, place: Place | None) -> None:
        """Take a job's record; its parts are in its folder. No place is this machine."""


@dataclass(frozen=True)
class ProcessBackend:
    """Carries out `workers` jobs at a time in processes of this machine."""

    workers: int

    def run(self, jobs: Sequence[Job], observer: Observer) -> None:
        """Carry out every job, each in a fresh process.

        A process that died has a failed record; it does not touch the others.

        Raises
        ------
        InputError
            If a worker finds that the settings do not fit the panel or the machine. The others are ended.
        RunFailure
            If processes cannot be started or their files cannot be written. The others are ended.
        """
        crew = Crew(jobs)
        with ThreadPoolExecutor(min(self.workers, len(jobs)), thread_name_prefix="seed") as threads:
            futures = [threads.submit(_carry_out, crew, job, observer) for job in jobs]
            try:
                for future in as_completed(futures):
                    future.result()
            except BaseException:
                with uninterrupted():
                    threads.shutdown(wait=False, cancel_futures=True)
                    crew.end()
                raise


def _carry_out(crew: Crew, job: Job, observer: Observer) -> None:
    record = crew.carry_out(
        job, lambda: observer.started(job), lambda done, total: observer.epoch(job, done, total)
    )
    observer.ended(job, record, None)


class Crew:
    """The worker processes alive at a time.

    Parameters
    ----------
    jobs
        All that will be carried out: those that import the same are forked from one template.
    """

    def __init__(self, jobs: Sequence[Job] = ()) -> None:
        self._lock = threading.Lock()
        self._alive: set[Worker] = set()
        self._ended = False
        self._templates = Templates(jobs)

    def end(self) -> None:
        """Kill every worker with all it started, and start none from now on."""
        with self._lock:
            self._ended = True
            for process in self._alive:
                process.kill()
        self._templates.close()

    def carry_out(
        self, job: Job, started: Callable[[], None], epoch: Callable[[int, int], None]
    ) -> RunRecord:
        """Run one job to its end in a fresh process and return its record.

        Parameters
        ----------
        started, epoch
            Called when the process is there, and with (epochs done, epochs in all).

        Raises
        ------
        InputError, RunFailure
            As `ProcessBackend.run`.
        """
        folder = Path(job.folder)
        folder.mkdir(parents=True)
        with (folder / STDERR).open("wb") as stderr:
            process = self._start(job, stderr.fileno())
        started()
        try:
            stopped = _converse(process, job, epoch)
        finally:
            with self._lock:
                self._alive.discard(process)
            code = process.await_end()
            ended = self._ended
            self._templates.done_with(job)
        if ended:
            raise RunFailure("the run was ended before this seed finished.")
        if stopped is not None:
            raise stopped
        return _read_record(job) or _record_death(job, code)

    def _start(self, job: Job, stderr: int) -> Worker:
        forked = self._templates.fork(job, stderr)
        with self._lock:
            process = forked or (None if self._ended else Spawned(stderr))
            if process is not None:
                self._alive.add(process)
            if self._ended and process is not None:
                process.kill()
        if process is None:
            raise RunFailure("the run was ended before this seed started.")
        return process


def _converse(process: Worker, job: Job, epoch: Callable[[int, int], None]) -> PanelbenchError | None:
    """Hand the job over and follow it; return what stops the whole experiment, None for all else."""
    with suppress(OSError):  # it may have died at once; how is told by its exit code
        process.stdin.write(job.model_dump_json().encode() + b"\n")
        process.stdin.flush()
    stopped: PanelbenchError | None = None
    with process.stdout:
        for line in process.stdout:
            if not line.endswith(b"\n"):  # it died in the middle of a word
                break
            event = json.loads(line)
            if event["event"] == "epoch":
                epoch(event["done"], event["total"])
            elif event["event"] == "stopped":
                kind = InputError if event["input"] else RunFailure
                stopped = kind(f"experiments.{job.experiment}: {event['message']}")
    return stopped


def _read_record(job: Job) -> RunRecord | None:
    """Return the record a worker wrote, None where there is none."""
    try:
        return RunRecord.model_validate_json(job.record_path.read_bytes())
    except (OSError, ValidationError):
        return None


def _record_death(job: Job, code: int) -> RunRecord:
    """Return the record of a worker that ended without writing one."""
    tail = (Path(job.folder) / STDERR).read_text("utf-8", errors="replace")[-TAIL:].strip()
    if code < 0:
        error = f"killed by signal {-code}"
        if -code == signal.SIGKILL:
            error += "; the usual reason is that the machine ran out of memory"
    else:
        error = f"the process ended with exit code {code} and left no record"
    return job.failed(error, tail or None)
