"""Show how seeds go: bars on a terminal, one line an end elsewhere."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from panelbench.train.job import Job
from panelbench.train.record import RunRecord


class SeedProgress:
    """Follows the seeds of one experiment or of all; its methods may be called from any thread."""

    def __init__(self, title: str, n_seeds: int, console: Console) -> None:
        self._console = console
        self._n_seeds = n_seeds
        self._n_ended = 0
        self._lock = threading.Lock()
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[unit]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._total = self._bars.add_task(title, total=n_seeds, unit="seeds")
        self._by_job: dict[tuple[str, int], TaskID] = {}

    def __enter__(self) -> SeedProgress:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def started(self, job: Job) -> None:
        """Show a seed's own bar; it pulses until the first epoch is over."""
        with self._lock:
            self._remove(job)  # a cluster may start a seed anew
            self._by_job[job.experiment, job.seed] = self._bars.add_task(
                f"  {job.experiment}: seed {job.seed}", total=None, unit="epochs"
            )

    def epoch(self, job: Job, done: int, total: int) -> None:
        """Move a seed's bar."""
        with self._lock:
            bar = self._by_job.get((job.experiment, job.seed))
            if bar is not None:
                self._bars.update(bar, completed=done, total=total)

    def ended(self, job: Job, record: RunRecord) -> None:
        """Replace a seed's bar by a line that says how it ended."""
        with self._lock:
            self._n_ended += 1
            self._remove(job)
            self._bars.update(self._total, completed=self._n_ended)
            self._console.print(
                f"{job.experiment}: seed {record.seed} {_how(record)} ({self._n_ended}/{self._n_seeds})",
                highlight=False,
                soft_wrap=True,
            )

    def _remove(self, job: Job) -> None:
        bar = self._by_job.pop((job.experiment, job.seed), None)
        if bar is not None:
            self._bars.remove_task(bar)


def _how(record: RunRecord) -> str:
    if record.from_store:
        return "taken from the store"
    if record.seconds_fit is not None:
        return f"fitted in {record.seconds_fit:.1f} s"
    return f"[red]failed[/red]: {escape(record.error or 'no reason given')}"
