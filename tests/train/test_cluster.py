"""Dask: a real scheduler and two real workers, on the loopback address."""

from __future__ import annotations

import io
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from panelbench.config import Settings
from panelbench.config.settings import ExecutionSettings
from panelbench.errors import InputError, RunFailure
from panelbench.models import registry
from panelbench.train import cluster as module
from panelbench.train.cluster import DaskBackend
from panelbench.train.job import Job
from panelbench.train.place import Place
from panelbench.train.plan import make_jobs
from panelbench.train.record import RunRecord
from panelbench.train.run import Outcome, train, train_all
from tests.helpers.cluster import Cluster, start_cluster, until
from tests.helpers.processes import children, ended

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux's pidfds")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    running = start_cluster(tmp_path_factory.mktemp("dask") / "cluster", 2)
    yield running
    running.close()


@pytest.fixture
def settings_on(settings_with: Callable[..., Settings]) -> Callable[..., Settings]:
    def on(cluster: Cluster, *names: str) -> Settings:
        declared = settings_with().experiments
        return settings_with(
            experiments={name: declared[name] for name in names},
            execution={"backend": "dask", "scheduler": cluster.address},
        )

    return on


class Watcher:
    """Notes what it is told; does `act` when a job starts."""

    def __init__(self, act: Callable[[], None] = lambda: None) -> None:
        self.act = act
        self.started_seeds: list[int] = []
        self.records: dict[int, RunRecord] = {}

    def started(self, job: Job) -> None:
        self.started_seeds.append(job.seed)
        self.act()

    def epoch(self, job: Job, done: int, total: int) -> None:
        pass

    def ended(self, job: Job, record: RunRecord, place: Place | None) -> None:
        self.records[job.seed] = record


def run_jobs(cluster: Cluster, jobs: list[Job], watcher: Watcher) -> None:
    DaskBackend(cluster.address, 2, lambda text: None).run(jobs, watcher)


def jobs_of(
    name: str, settings: Settings, project: Path, seeds: tuple[int, ...], **changes: object
) -> list[Job]:
    jobs = make_jobs(name, registry.resolve(settings)[name], seeds, settings, project, project / "parts")
    return [job.model_copy(update={"settings": job.settings | changes}) for job in jobs]


def quiet() -> Console:
    return Console(file=io.StringIO())


def test_when_seeds_run_on_a_cluster_then_they_have_the_bytes_of_local_ones_and_repro_only_collects(
    cluster: Cluster, project: Path, settings_on: Callable[..., Settings], trained: Outcome
) -> None:
    settings = settings_on(cluster, "transformer", "naive")
    records = [one.record for one in train_all(settings, project, quiet())]
    collected = train("transformer", settings, project, quiet())

    assert [(record.ok, record.from_store) for record in records] == [(True, False)] * 3
    assert all(run.from_store for run in collected.runs.runs)
    for name in ("predictions.parquet", "history.csv", "attention.npz"):
        assert (collected.folder / name).read_bytes() == (trained.folder / name).read_bytes(), name
    # What was computed on this kind of machine serves without the cluster too.
    at_home = settings.model_copy(update={"execution": ExecutionSettings()})
    assert all(run.from_store for run in train("transformer", at_home, project, quiet()).runs.runs)


def test_when_a_cluster_runs_here_then_it_listens_on_the_loopback_address_only(
    project: Path, settings_with: Callable[..., Settings]
) -> None:
    seen: set[str] = set()
    others = children(os.getpid())

    def look() -> None:
        for pid in {os.getpid(), *children(os.getpid())} - set(others):
            seen.update(listening(pid))

    (job,) = jobs_of("naive", settings_with(), project, (0,))
    DaskBackend(None, 1, lambda text: None).run([job], Watcher(look))
    assert seen == {"127.0.0.1"}


def listening(pid: int) -> set[str]:
    """The IPv4 and IPv6 addresses at which a process listens."""
    sockets = set()
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        try:
            sockets.add(str(handle.readlink()))
        except OSError:  # closed meanwhile
            continue
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                address = bytes.fromhex(fields[1].partition(":")[0])
                found.add(".".join(str(byte) for byte in reversed(address)))
    return found


def test_when_settings_do_not_fit_then_the_cluster_says_so_as_this_machine_would(
    cluster: Cluster, project: Path, settings_on: Callable[..., Settings]
) -> None:
    with pytest.raises(InputError, match=r"experiments\.too_long: .*lookback 500"):
        train_all(settings_on(cluster, "too_long"), project, quiet())


def test_when_a_worker_has_other_code_or_libraries_then_it_is_named(
    cluster: Cluster, project: Path, settings: Settings
) -> None:
    (job,) = jobs_of("naive", settings, project, (0,))
    for change, message in (
        ({"code": "0" * 64}, "has other code than"),
        ({"versions": job.request["versions"] | {"numpy": "1.0"}}, r"numpy .* instead of 1\.0"),
    ):
        other = job.model_copy(update={"request": job.request | change})
        with pytest.raises(RunFailure, match=message):
            run_jobs(cluster, [other], Watcher())


def test_when_nobody_offers_a_gpu_then_the_user_is_told_what_is_waited_for(
    cluster: Cluster, project: Path, settings: Settings
) -> None:
    class Told(Exception):
        pass

    def tell(text: str) -> None:
        raise Told(text)

    (job,) = jobs_of("rnn", settings, project, (0,), device="cuda")
    with pytest.raises(Told, match="GPU=1"):
        DaskBackend(cluster.address, 1, tell).run([job], Watcher())


def test_when_it_is_stopped_then_what_runs_on_the_workers_ends(
    cluster: Cluster, project: Path, settings: Settings
) -> None:
    handles: list[int] = []

    class Stopping(Watcher):
        def ended(self, job: Job, record: RunRecord, place: Place | None) -> None:
            until(cluster.busy, cluster.scheduler)
            handles.extend(os.pidfd_open(pid) for worker in cluster.busy() for pid in children(worker.pid))
            raise KeyboardInterrupt

    jobs = [*jobs_of("endless", settings, project, (1,)), *jobs_of("naive", settings, project, (0,))]
    with pytest.raises(KeyboardInterrupt):
        run_jobs(cluster, jobs, Stopping())
    assert handles
    assert all(ended(handle, 60) for handle in handles)


def test_when_the_scheduler_is_down_then_its_address_is_named(
    project: Path, settings_with: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 1)
    settings = settings_with(execution={"backend": "dask", "scheduler": "tcp://127.0.0.1:9"})
    with pytest.raises(RunFailure, match=r"tcp://127\.0\.0\.1:9 .* does not answer"):
        train("naive", settings, project, quiet())


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:8786", "tcp://host", "http://host:8786", "tcp://a b:1", "tcp://h:1\n", "tcp://h:65536", "tcp://h:0"],
)
def test_when_the_address_is_none_then_params_yaml_is_refused(
    address: str, settings_with: Callable[..., Settings]
) -> None:
    with pytest.raises(InputError, match=r"execution\.scheduler .* an address such as tcp://"):
        settings_with(execution={"backend": "dask", "scheduler": address})


def test_when_a_worker_dies_then_nothing_is_lost_and_when_the_scheduler_dies_finished_seeds_are_kept(
    project: Path, settings_on: Callable[..., Settings], settings: Settings, tmp_path: Path
) -> None:
    cluster = start_cluster(tmp_path / "cluster", 2)
    try:
        killed: list[int] = []

        def kill_a_worker() -> None:
            if not killed:
                victim = cluster.busy()[0]
                killed.append(victim.pid)
                victim.kill()

        watcher = Watcher(kill_a_worker)
        run_jobs(cluster, jobs_of("rnn", settings, project, (0, 1, 2), epochs=40), watcher)
        assert killed
        assert [watcher.records[seed].ok for seed in (0, 1, 2)] == [True] * 3
        assert sorted(watcher.started_seeds) != [0, 1, 2], "the lost seed started a second time"

        class Ending(Watcher):
            def ended(self, job: Job, record: RunRecord, place: Place | None) -> None:
                super().ended(job, record, place)
                os.kill(cluster.scheduler.pid, signal.SIGKILL)

        watcher = Ending()
        jobs = [*jobs_of("naive", settings, project, (5,)), *jobs_of("endless", settings, project, (6,))]
        with pytest.raises(RunFailure, match="scheduler went away"):
            run_jobs(cluster, jobs, watcher)
        assert json.loads((project / "parts/5/record.json").read_text())["status"] == "ok"
    finally:
        cluster.close()
