"""Spread a probe's fits over processes with one thread each."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Literal, TypeVar

from panelbench.errors import RunFailure
from panelbench.train.signals import termination_raises, uninterrupted

JobT = TypeVar("JobT")
RowT = TypeVar("RowT")
Tell = Callable[[int, int], None]
"""Told (fits done, fits in all)."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def spread(
    function: Callable[[JobT], RowT],
    jobs: Sequence[JobT],
    workers: Literal["auto"] | int = "auto",
    tell: Tell | None = None,
    *,
    fresh: bool = False,
) -> list[RowT]:
    """Return `function` of every job, in the order of the jobs.

    The largest jobs should come first; the pool ends sooner then.

    Parameters
    ----------
    function
        Of a module, so that another process can import it.
    workers
        Processes; `auto` is one a core.
    fresh
        Take a new process for every job, so that one's memory does not hide another's.

    Raises
    ------
    RunFailure
        If a process ended without an answer, as when memory ran out.
    """
    from panelbench.train.provenance import available_cores

    count = min(available_cores() if workers == "auto" else workers, len(jobs))
    executor = ProcessPoolExecutor(
        count,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        max_tasks_per_child=1 if fresh else None,
    )
    found: dict[int, RowT] = {}
    try:
        with termination_raises():
            futures = {executor.submit(function, job): place for place, job in enumerate(jobs)}
            for future in as_completed(futures):
                found[futures[future]] = future.result()
                if tell is not None:
                    tell(len(found), len(jobs))
    except BrokenProcessPool as error:
        raise RunFailure(
            f"a process of the probe ended without an answer after {len(found)} of {len(jobs)} fits; where "
            "memory ran out, fewer `workers` or smaller sizes in probes/*.yaml help."
        ) from error
    finally:
        with uninterrupted():
            if len(found) < len(jobs):
                for process in multiprocessing.active_children():
                    process.terminate()
            executor.shutdown(wait=True, cancel_futures=True)
    return [found[place] for place in range(len(jobs))]


def _begin() -> None:
    """Prepare a process: one thread, read by libraries when they are loaded; Ctrl-C is the parent's."""
    for name in THREADS:
        os.environ[name] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
