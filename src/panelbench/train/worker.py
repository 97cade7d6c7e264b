"""The process that carries out one job: `python -m panelbench.train.worker`, the job as JSON on stdin.

Progress leaves on stdout as JSON lines; what libraries print goes to stderr. The parent keeps stdin
open for as long as it lives: when it ends, however it ends, the pipe closes and this process ends too.
Nothing numerical is imported before the number of threads is set, because the libraries read it once.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import threading
from typing import TextIO

from panelbench.errors import InputError, PanelbenchError
from panelbench.train.job import Job

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def main() -> None:
    """Read the job, carry it out, end. The exit code says nothing: the record on disk does."""
    faulthandler.enable()
    events = _take_stdout()
    job = Job.model_validate_json(sys.stdin.buffer.readline())
    _end_with_parent()
    limit_threads(job.identity.threads)

    def emit(kind: str, **content: object) -> None:
        print(json.dumps({"event": kind, **content}), file=events, flush=True)

    from panelbench.train.fit import carry_out

    try:
        carry_out(job, lambda done, total: emit("epoch", done=done, total=total))
    except PanelbenchError as error:
        emit("stopped", message=str(error), input=isinstance(error, InputError))
    # Everything is on disk by now; taking libraries and their threads down in order would only cost time.
    sys.stderr.flush()
    os._exit(0)


def limit_threads(threads: int) -> None:
    """Set how many threads numerical libraries start, and ask CUDA for repeatable sums."""
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(threads)
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def _take_stdout() -> TextIO:
    """Keep stdout for the protocol and send everything else written there to stderr."""
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return events


def _end_with_parent() -> None:
    """End this process, and whatever it started, as soon as stdin closes."""

    def watch() -> None:
        while os.read(0, 1024):
            pass
        if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="end-with-parent").start()


if __name__ == "__main__":
    main()
