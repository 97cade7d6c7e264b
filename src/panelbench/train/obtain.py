"""Get jobs done: out of the store what is there, by a backend what is not."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

from panelbench.train.backend import Backend
from panelbench.train.job import Job
from panelbench.train.place import Place
from panelbench.train.record import RunRecord
from panelbench.train.store import Finished, Store


class Progress(Protocol):
    """Who shows how the jobs go; called from several threads."""

    def started(self, job: Job) -> None: ...
    def epoch(self, job: Job, done: int, total: int) -> None: ...
    def ended(self, job: Job, record: RunRecord) -> None: ...


def obtain(jobs: Sequence[Job], store: Store, backend: Backend, progress: Progress) -> list[Finished]:
    """Return every job's record and where its parts lie, in the order of `jobs`.

    A seed is stored as soon as it has finished, so whatever stops the others, it is not trained again.

    Raises
    ------
    InputError, RunFailure
        As `Backend.run`.
    """
    keeper = _Keeper(store, progress)
    pending = []
    for job in jobs:
        stored = store.find(job)
        if stored is None:
            pending.append(job)
        else:
            keeper.note(job, stored)
    if pending:
        backend.run(pending, keeper)
    return [keeper.finished[job.experiment, job.seed] for job in jobs]


class _Keeper:
    """Stores what finishes and tells the progress."""

    def __init__(self, store: Store, progress: Progress) -> None:
        self._store = store
        self._progress = progress
        self._lock = threading.Lock()
        self.finished: dict[tuple[str, int], Finished] = {}

    def started(self, job: Job) -> None:
        self._progress.started(job)

    def epoch(self, job: Job, done: int, total: int) -> None:
        self._progress.epoch(job, done, total)

    def ended(self, job: Job, record: RunRecord, place: Place | None) -> None:
        self.note(job, self._store.keep(job, record, place))

    def note(self, job: Job, finished: Finished) -> None:
        with self._lock:
            self.finished[job.experiment, job.seed] = finished
        self._progress.ended(job, finished.record)
