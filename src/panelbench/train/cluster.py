"""Carry out jobs on the workers of a Dask cluster: someone else's by its address, or one on this machine.

The panel travels once to each worker, by a plugin that the scheduler also gives to workers that come later; a
worker that can read the same bytes under the same path takes those. Each job is a fresh process on its
worker. Its parts come back as bytes with their hashes. Dask gives the job of a lost worker to another one.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import Client, KilledWorker, LocalCluster, as_completed

from panelbench.errors import InputError, RunFailure
from panelbench.files import write_bytes
from panelbench.train.job import Job
from panelbench.train.place import Place
from panelbench.train.pool import Observer
from panelbench.train.record import RunRecord
from panelbench.train.remote import CarriedOut, PanelOnWorker, carry_out

PATIENCE = 10
"""Seconds to wait for a scheduler."""
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class DaskBackend:
    """Carries jobs out over a cluster.

    Attributes
    ----------
    scheduler
        Its address; None for a cluster on this machine, which listens on the loopback address only.
    workers
        Processes of that cluster; another's are its own affair.
    say
        Told what the user may be waiting for.
    """

    scheduler: str | None
    workers: int
    say: Callable[[str], None]

    def run(self, jobs: Sequence[Job], observer: Observer) -> None:
        """Carry out every job and tell `observer` how each ended.

        Raises
        ------
        InputError
            If a job finds that its settings do not fit the panel or the machine.
        RunFailure
            If the scheduler does not answer or goes away, or a worker has other code or libraries.
        """
        with _connected(self.scheduler, min(self.workers, len(jobs))) as client:
            _Campaign(client, jobs, observer, self.say).run()


class _Campaign:
    """One set of jobs on one cluster."""

    def __init__(
        self, client: Any, jobs: Sequence[Job], observer: Observer, say: Callable[[str], None]
    ) -> None:
        self._client = client
        self._jobs = {_name(job): job for job in jobs}
        self._observer = observer
        self._say = say
        self._topic = f"panelbench-{uuid.uuid4().hex}"

    def run(self) -> None:
        """Submit, follow, take what comes back; on an error nothing goes on."""
        self._client.subscribe_topic(self._topic, self._hear)
        panel = _panel_for_workers(next(iter(self._jobs.values())), self._topic)
        self._client.register_plugin(panel)
        self._warn_of_missing_workers()
        futures = {self._submit(name, job, panel.name): name for name, job in self._jobs.items()}
        try:
            for future in as_completed(list(futures)):
                self._take(self._jobs[futures[future]], future)
        finally:
            if self._client.status == "running":  # a scheduler that is gone is not waited for
                self._client.cancel(list(futures), force=True)
                self._client.unsubscribe_topic(self._topic)
                self._client.unregister_worker_plugin(panel.name)

    def _submit(self, name: str, job: Job, panel: str) -> Any:
        """Return the future of one job; the name is new each time, so that no earlier result is taken."""
        resources = {"GPU": 1} if job.device == "cuda" else None
        return self._client.submit(
            carry_out, job.model_dump(mode="json"), panel, self._topic,
            key=f"{name}-{self._topic[-8:]}", resources=resources, pure=False,
        )  # fmt: skip

    def _take(self, job: Job, future: Any) -> None:
        """Write the parts of one finished job and pass its record on."""
        if future.status == "cancelled" or future.status == "lost":
            raise RunFailure(
                "the Dask scheduler went away before every seed had finished. Those that had are in the "
                "store; start the scheduler again and repeat the command."
            )
        try:
            done: CarriedOut = future.result()
        except KilledWorker as error:
            tried = f"{error.allowed_failures + 1} workers of the cluster died"
            lost = job.failed(
                f"{tried} while they ran this seed; the usual reason is that they ran out of memory", None
            )
            self._observer.ended(job, lost, None)
            return
        if done.stopped is not None:
            raise (InputError if done.by_input else RunFailure)(done.stopped)
        for name, (content, digest) in done.files.items():
            if hashlib.sha256(content).hexdigest() != digest:
                raise RunFailure(f"experiments.{job.experiment}: {name} of seed {job.seed} came damaged.")
            write_bytes(Path(job.folder) / name, content)
        record = RunRecord.model_validate_json(done.record)
        self._observer.ended(job, record, Place.model_validate_json(done.place))

    def _hear(self, event: tuple[Any, Mapping[str, Any]]) -> None:
        """Pass on what workers tell while they run."""
        _, told = event
        job = self._jobs[told["job"]]
        if told["event"] == "started":
            self._observer.started(job)
        else:
            self._observer.epoch(job, told["done"], told["total"])

    def _warn_of_missing_workers(self) -> None:
        """Say so where nobody is there to do the work: it may come, and the user may have forgotten it."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        if not workers:
            self._say("The Dask cluster has no workers yet; the seeds wait for them.")
        elif any(job.device == "cuda" for job in self._jobs.values()) and not any(
            worker.get("resources", {}).get("GPU") for worker in workers
        ):
            self._say(
                "No worker of the Dask cluster offers a GPU; seeds with `device: cuda` wait for one that was "
                'started with --resources "GPU=1".'
            )


def _name(job: Job) -> str:
    return f"{job.experiment}:{job.seed}"


def _panel_for_workers(job: Job, name: str) -> PanelOnWorker:
    """Return the plugin that brings the panel, which is the same for all jobs; `name` is new each time."""
    parquet, facts = Path(job.panel), Path(job.facts)
    try:
        return PanelOnWorker(name, str(parquet), parquet.read_bytes(), str(facts), facts.read_bytes())
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}. `dvc repro` makes it.") from error


@contextmanager
def _connected(address: str | None, workers: int) -> Iterator[Any]:
    """Yield a client of the scheduler, or of a cluster of this machine's own.

    Raises
    ------
    RunFailure
        If the scheduler does not answer within `PATIENCE`.
    """
    if address is None:
        with (
            LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, host=LOOPBACK, memory_limit=0,
                # Dask serves its metrics by HTTP in any case; said here, so that it does so to nobody else.
                dashboard_address=f"{LOOPBACK}:0", worker_dashboard_address=f"{LOOPBACK}:0",
                scheduler_kwargs={"dashboard": False},
            ) as cluster,
            Client(cluster) as client,
        ):  # fmt: skip
            yield client
        return
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, TimeoutError) as error:
        raise RunFailure(
            f"the Dask scheduler at {address} (execution.scheduler in params.yaml) does not answer: nothing "
            f"came within {PATIENCE} s. Start it with `dask scheduler`, correct the address, or set "
            "`backend: processes` to train on this machine."
        ) from error
    with client:
        yield client
