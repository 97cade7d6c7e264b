from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from panelbench.config import Settings
from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.train import templates
from panelbench.train.job import Job
from panelbench.train.place import Place
from panelbench.train.plan import make_jobs
from panelbench.train.pool import ProcessBackend
from panelbench.train.processes import Template
from panelbench.train.record import RunRecord
from tests.helpers.processes import children, last_descendants


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
def standing() -> list[int]:
    """Children of this process that another test's library started and left."""
    return children(os.getpid())


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
    jobs_of: Callable[..., list[Job]], standing: list[int],
) -> None:
    def kill(seed: int) -> None:
        if seed == 1:
            (worker,) = last_descendants(os.getpid(), standing)
            os.kill(worker, signal.SIGKILL)

    records = run_jobs(
        [*jobs_of("naive", (0,)), *jobs_of("endless", (1,)), *jobs_of("rnn", (2,))], 1, Watcher(kill)
    )

    assert [record.status for record in records] == ["ok", "failed", "ok"]
    assert str(records[1].error).startswith("killed by signal 9")
    assert records[1].versions == records[0].versions


@pytest.mark.parametrize("seeds", [(0,), (0, 1)], ids=["from nothing", "copies"])
def test_when_a_worker_crashes_then_the_end_of_its_stderr_is_kept(
    jobs_of: Callable[..., list[Job]], standing: list[int], seeds: tuple[int, ...]
) -> None:
    def crash(seed: int) -> None:
        (worker,) = last_descendants(os.getpid(), standing)
        os.kill(worker, signal.SIGSEGV)

    for record in run_jobs(jobs_of("endless", seeds), 1, Watcher(crash)):
        assert record.error == "killed by signal 11"
        assert "Segmentation fault" in str(record.traceback)


def test_when_a_worker_refuses_its_settings_then_the_others_are_ended(
    jobs_of: Callable[..., list[Job]], standing: list[int],
) -> None:
    with pytest.raises(InputError, match="lookback 500"):
        run_jobs([*jobs_of("endless", (0,)), *jobs_of("too_long", (1,))], 2, Watcher())

    assert children(os.getpid(), standing) == []


def test_when_seeds_are_copies_then_they_have_the_bytes_of_processes_from_nothing(
    jobs_of: Callable[..., list[Job]], standing: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def forecasts(seed: int) -> list[bytes]:
        jobs = jobs_of("rnn", (0, 1))
        jobs = [job.model_copy(update={"folder": f"{job.folder}_{seed}"}) for job in jobs]
        assert all(record.ok for record in run_jobs(jobs, 2, Watcher(counted)))
        return [(Path(job.folder) / "predictions.parquet").read_bytes() for job in jobs]

    seen: list[int] = []

    def counted(seed: int) -> None:
        seen.append(len(children(os.getpid(), standing)))

    copies = forecasts(1)
    assert max(seen) == 1, "the template alone is a child of this process"
    monkeypatch.setattr(templates, "CAN_FORK", False)
    assert forecasts(2) == copies


def test_when_networks_share_a_template_then_it_imports_no_design_that_could_change_another(
    jobs_of: Callable[..., list[Job]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, ...]] = []

    class Unfit:
        def __init__(self, modules: tuple[str, ...], threads: int) -> None:
            made.append(modules)

        def fork(self, stderr: int) -> None:
            pass

    monkeypatch.setattr(templates, "Template", Unfit)
    jobs = [*jobs_of("rnn", (0,)), *jobs_of("transformer", (0,)), *jobs_of("diverging", (0,))]
    shared = templates.Templates(jobs)
    for job in jobs:
        shared.fork(job, 2)
    assert made == [("panelbench.models.network",)]


def test_when_a_template_is_killed_then_what_it_had_started_goes_on_and_the_rest_starts_from_nothing(
    jobs_of: Callable[..., list[Job]], standing: list[int],
) -> None:
    killed: list[int] = []

    def kill(seed: int) -> None:
        if not killed:
            killed.extend(children(os.getpid(), standing))
            os.kill(killed[0], signal.SIGKILL)

    records = run_jobs(jobs_of("rnn", (0, 1, 2)), 1, Watcher(kill))
    assert len(killed) == 1
    assert [record.status for record in records] == ["ok", "ok", "ok"]


def test_when_a_template_has_a_second_thread_then_nothing_is_copied_from_it(tmp_path: Path) -> None:
    module = tmp_path / "starts_a_thread.py"
    module.write_text("import threading\nthreading.Timer(60, print).start()")
    with (tmp_path / "err").open("wb") as stderr, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path))
        template = Template(["starts_a_thread"], 1)
        assert template.fork(stderr.fileno()) is None
        template.close()
