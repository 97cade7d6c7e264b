"""Where jobs are carried out: in processes of this machine, or over a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from panelbench.config import Settings
from panelbench.errors import InputError
from panelbench.train.job import Job
from panelbench.train.plan import count_workers
from panelbench.train.pool import Observer, ProcessBackend


class Backend(Protocol):
    """Carries jobs out; each has a fresh process, wherever that is."""

    def run(self, jobs: Sequence[Job], observer: Observer) -> None:
        """Carry out every job and tell `observer` how each ended.

        Raises
        ------
        InputError
            If a job finds that its settings do not fit the panel or the machine. The others are ended.
        RunFailure
            If work cannot be started, or results cannot be written. The others are ended.
        """


def choose_backend(settings: Settings, say: Callable[[str], None]) -> Backend:
    """Return the backend that params.yaml asks for; nothing is started or connected yet.

    Raises
    ------
    InputError
        If it is Dask, and Dask is not installed.
    """
    if settings.execution.backend == "dask":
        try:
            from panelbench.train.cluster import DaskBackend
        except ImportError as error:
            raise InputError(
                "params.yaml: execution.backend is 'dask', and Dask is not installed. Install it with "
                "`pip install -c constraints.txt -e '.[dask]'`, or set `backend: processes`."
            ) from error
        return DaskBackend(settings.execution.scheduler, count_workers(settings), say)
    return ProcessBackend(count_workers(settings))
