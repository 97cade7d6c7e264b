from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from panelbench.config import Settings
from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.train.job import Job
from panelbench.train.place import Place
from panelbench.train.plan import make_jobs
from panelbench.train.pool import ProcessBackend
from panelbench.train.record import RunRecord
from tests.helpers.processes import children


class Watcher:
    """Notes what it is told; does `act` at a seed's first epoch."""

    def __init__(self, act: Callable[[int], None] = lambda seed: None) -> None:
        self.act = act
        self.epochs: list[tuple[int, int, int]] = []
        self.order: list[int] = []
        self.records: dict[int, RunRecord] = {}

    def started(self, job: Job) -> None:
        pass

    def epoch(self, job: Job, done: int, total: int) -> None:
        self.epochs.append((job.seed, done, total))
        if done == 1:
            self.act(job.seed)

    def ended(self, job: Job, record: RunRecord, place: Place | None) -> None:
        self.order.append(record.seed)
        self.records[job.seed] = record


def run_jobs(jobs: list[Job], workers: int, watcher: Watcher) -> list[RunRecord]:
    """Return the records in the order of the jobs."""
    ProcessBackend(workers).run(jobs, watcher)
    return [watcher.records[job.seed] for job in jobs]


@pytest.fixture
def jobs_of(project: Path, settings: Settings) -> Callable[..., list[Job]]:
    def make(name: str, seeds: tuple[int, ...]) -> list[Job]:
        return make_jobs(name, registry.resolve(settings)[name], seeds, settings, project, project / name)

    return make


def test_when_a_later_seed_ends_first_then_the_records_keep_their_order(
    jobs_of: Callable[..., list[Job]],
) -> None:
    slow = jobs_of("rnn", (0,))[0]
    slow = slow.model_copy(update={"settings": slow.settings | {"epochs": 60}})
    watcher = Watcher()
    records = run_jobs([slow, *jobs_of("naive", (1,))], 2, watcher)

    assert watcher.order == [1, 0]
    assert [record.seed for record in records] == [0, 1]
    assert watcher.epochs == [(0, epoch, 60) for epoch in range(1, 61)]


def test_when_one_seed_diverges_then_it_has_a_traceback_and_the_others_are_whole(
    jobs_of: Callable[..., list[Job]],
) -> None:
    jobs = [*jobs_of("last", (0,)), *jobs_of("diverging", (1,)), *jobs_of("naive", (2,))]
    records = run_jobs(jobs, 2, Watcher())

    assert [record.status for record in records] == ["ok", "failed", "ok"]
    assert records[1].error is not None
    assert "Diverged" in records[1].error
    assert "Traceback" in str(records[1].traceback)
    assert records[1].n_parameters is None


def test_when_a_worker_is_killed_then_its_seed_says_so_and_the_others_are_whole(
    jobs_of: Callable[..., list[Job]],
) -> None:
    def kill(seed: int) -> None:
        if seed == 1:
            (worker,) = children(os.getpid())
            os.kill(worker, signal.SIGKILL)

    records = run_jobs(
        [*jobs_of("naive", (0,)), *jobs_of("endless", (1,)), *jobs_of("rnn", (2,))], 1, Watcher(kill)
    )

    assert [record.status for record in records] == ["ok", "failed", "ok"]
    assert str(records[1].error).startswith("killed by signal 9")
    assert records[1].versions == records[0].versions


def test_when_a_worker_crashes_then_the_end_of_its_stderr_is_kept(jobs_of: Callable[..., list[Job]]) -> None:
    def crash(seed: int) -> None:
        (worker,) = children(os.getpid())
        os.kill(worker, signal.SIGSEGV)

    (record,) = run_jobs(jobs_of("endless", (0,)), 1, Watcher(crash))

    assert record.error == "killed by signal 11"
    assert "Segmentation fault" in str(record.traceback)


def test_when_a_worker_refuses_its_settings_then_the_others_are_ended(
    jobs_of: Callable[..., list[Job]],
) -> None:
    with pytest.raises(InputError, match="lookback 500"):
        run_jobs([*jobs_of("endless", (0,)), *jobs_of("too_long", (1,))], 2, Watcher())

    assert children(os.getpid()) == []
