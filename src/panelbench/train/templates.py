"""Which jobs share a template process, and how long it is kept."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence

from panelbench.config.strict import tuples
from panelbench.models import registry
from panelbench.models.network_settings import NetworkSettings
from panelbench.train.job import Job
from panelbench.train.processes import CAN_FORK, Forked, Template

Kind = tuple[int, tuple[str, ...]]
"""What a template is made for: a number of threads, and modules."""
NETWORK = ("panelbench.models.network",)
"""What every network imports, and what takes long of it: torch."""


class Templates:
    """One template for each kind of job of which there are several; made when the first of them starts.

    All networks share one, whatever their design. It imports what they have in common and no design's own
    module: importing that may change what a copy for another design would compute, or start a thread. A
    template ends with the last of its jobs, so that no more memory is held than is of use. A job that is the
    only one of its kind starts from nothing, since nothing would be saved.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._left = Counter(_kind(job) for job in jobs if CAN_FORK)
        self._worth_it = {kind for kind, count in self._left.items() if count > 1}
        self._lock = threading.Lock()
        self._open: dict[Kind, Template] = {}
        self._closed = False

    def fork(self, job: Job, stderr: int) -> Forked | None:
        """Return a worker for a job; None where it must start from nothing."""
        if not self._worth_it:
            return None
        kind = _kind(job)
        with self._lock:
            if self._closed or kind not in self._worth_it:
                return None
            template = self._open.get(kind)
            if template is None:
                threads, modules = kind
                template = self._open[kind] = Template(modules, threads)
        return template.fork(stderr)

    def done_with(self, job: Job) -> None:
        """Note that a job has ended; a template of which none is left ends."""
        if not self._worth_it:
            return
        kind = _kind(job)
        with self._lock:
            self._left[kind] -= 1
            template = self._open.pop(kind, None) if self._left[kind] <= 0 else None
        if template is not None:
            template.close()

    def close(self) -> None:
        """End every template, and with it the workers that are left."""
        with self._lock:
            self._closed = True
            templates = list(self._open.values())
            self._open.clear()
        for template in templates:
            template.close()


def _kind(job: Job) -> Kind:
    kind = registry.MODELS[str(job.settings["model"])].settings
    settings = kind.model_validate(tuples(job.settings))
    modules = NETWORK if isinstance(settings, NetworkSettings) else registry.modules_of(settings)
    return job.identity.threads, modules
