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


class Templates:
    """One template for each kind of job of which there are several; made when the first of them starts.

    All networks share one, whatever their design: most of what they import is torch. A template ends with the
    last of its jobs, so that no more memory is held than is of use. A job that is the only one of its kind
    starts from nothing, since nothing would be saved.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        needed = {modules for job in jobs for modules, network in [_needs(job)] if network}
        self._networks = tuple(sorted({module for modules in needed for module in modules}))
        self._left = Counter(kind for job in jobs for kind in [self._kind(job)] if CAN_FORK)
        self._worth_it = {kind for kind, count in self._left.items() if count > 1}
        self._lock = threading.Lock()
        self._open: dict[Kind, Template] = {}
        self._closed = False

    def fork(self, job: Job, stderr: int) -> Forked | None:
        """Return a worker for a job; None where it must start from nothing."""
        if not self._worth_it:
            return None
        kind = self._kind(job)
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
        kind = self._kind(job)
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

    def _kind(self, job: Job) -> Kind:
        modules, network = _needs(job)
        return job.identity.threads, self._networks if network else modules


def _needs(job: Job) -> tuple[tuple[str, ...], bool]:
    """Return the modules that a job imports, and whether it trains a network."""
    kind = registry.MODELS[str(job.settings["model"])].settings
    settings = kind.model_validate(tuples(job.settings))
    return registry.modules_of(settings), isinstance(settings, NetworkSettings)
