"""Show how an experiment's seeds go: bars on a terminal, one line an end elsewhere."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from panelbench.train.record import RunRecord


class SeedProgress:
    """Follows the seeds of one experiment; its methods may be called from any thread."""

    def __init__(self, name: str, n_seeds: int, console: Console) -> None:
        self._name = name
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
        self._total = self._bars.add_task(name, total=n_seeds, unit="seeds")
        self._by_seed: dict[int, TaskID] = {}

    def __enter__(self) -> SeedProgress:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def started(self, seed: int) -> None:
        """Show a seed's own bar; it pulses until the first epoch is over."""
        with self._lock:
            self._by_seed[seed] = self._bars.add_task(f"  seed {seed}", total=None, unit="epochs")

    def epoch(self, seed: int, done: int, total: int) -> None:
        """Move a seed's bar."""
        with self._lock:
            self._bars.update(self._by_seed[seed], completed=done, total=total)

    def ended(self, record: RunRecord) -> None:
        """Replace a seed's bar by a line that says how it ended."""
        with self._lock:
            self._n_ended += 1
            self._bars.remove_task(self._by_seed.pop(record.seed))
            self._bars.update(self._total, completed=self._n_ended)
            how = (
                f"fitted in {record.seconds_fit:.1f} s"
                if record.seconds_fit is not None
                else f"[red]failed[/red]: {escape(record.error or 'no reason given')}"
            )
            count = f"({self._n_ended}/{self._n_seeds})"
            self._console.print(
                f"{self._name}: seed {record.seed} {how} {count}", highlight=False, soft_wrap=True
            )
