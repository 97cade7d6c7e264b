"""What runs on the workers of a Dask cluster: take the panel in, carry out a job, hand its files back."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from distributed import WorkerPlugin, get_worker

from panelbench.errors import InputError, PanelbenchError, RunFailure
from panelbench.files import read_json, sha256, write_bytes
from panelbench.train.fit import restore_settings
from panelbench.train.job import STDERR, Job
from panelbench.train.place import this_place
from panelbench.train.pool import Crew
from panelbench.train.provenance import identify
from panelbench.train.record import RunRecord
from panelbench.train.request import code_of, used_versions

PAUSE = 0.5
"""Seconds between two messages about epochs, and between two looks at whether a job is still wanted."""


@dataclass(frozen=True)
class CarriedOut:
    """What comes back from a worker.

    Attributes
    ----------
    record, place
        JSON of the `RunRecord` and of the `Place` where it ran.
    files
        Content and SHA-256 of each part, by name.
    stopped
        Why the whole experiment must stop; None where a record came out, also that of a failure.
    by_input
        Whether it was the user's input.
    """

    record: str = ""
    place: str = ""
    files: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    stopped: str | None = None
    by_input: bool = False


class PanelOnWorker(WorkerPlugin):
    """Puts the panel where jobs on a worker find it; workers that come later get it too."""

    def __init__(self, name: str, parquet: str, content: bytes, facts: str, described: bytes) -> None:
        self._shared = (parquet, facts)
        self._content = content
        self._described = described
        self._sha256 = str(json.loads(described).get("sha256", ""))
        self.name = name

    def setup(self, worker: Any) -> None:
        """Note the shared paths if they lead to the same bytes here, else write the bytes down."""
        parquet, facts = (Path(path) for path in self._shared)
        if not self._is_there(parquet, facts):
            folder = Path(worker.local_directory) / self.name
            parquet, facts = folder / "panel.parquet", folder / "panel.json"
            write_bytes(parquet, self._content)
            write_bytes(facts, self._described)
        _panels(worker)[self.name] = (str(parquet), str(facts))

    def teardown(self, worker: Any) -> None:
        """Forget the panel; the worker's own folder goes with the worker."""
        _panels(worker).pop(self.name, None)

    def _is_there(self, parquet: Path, facts: Path) -> bool:
        try:
            return facts.read_bytes() == self._described and sha256(parquet) == self._sha256
        except OSError:
            return False


def _panels(worker: Any) -> dict[str, tuple[str, str]]:
    """Return the paths of the panels that a worker has, kept on the worker itself."""
    if not hasattr(worker, "panelbench_panels"):
        worker.panelbench_panels = {}
    found: dict[str, tuple[str, str]] = worker.panelbench_panels
    return found


def carry_out(described: dict[str, Any], panel: str, topic: str) -> CarriedOut:
    """Carry out a job, given as JSON values, in a fresh process of this machine.

    Parameters
    ----------
    panel
        Name of the plugin that brought it.
    topic
        Where the start and the epochs are told.
    """
    worker = get_worker()
    wanted = Job.model_validate_json(json.dumps(described))
    parquet, facts = _panels(worker)[panel]
    with tempfile.TemporaryDirectory(prefix="panelbench-") as folder:
        identity = identify(str(read_json(Path(facts)).get("sha256", "")), wanted.identity.threads)
        job = wanted.model_copy(
            update={
                "panel": parquet,
                "facts": facts,
                "folder": str(Path(folder) / "parts"),
                "identity": identity,
            }
        )
        try:
            _require_same_code(job, worker.address)
            record = _follow(job, worker, topic)
        except PanelbenchError as error:
            return CarriedOut(stopped=str(error), by_input=isinstance(error, InputError))
        parts = [file for file in sorted(Path(job.folder).iterdir()) if record.ok and file.name != STDERR]
        files = {file.name: (file.read_bytes(), sha256(file)) for file in parts}
        place = this_place(record.device or "cpu")
        return CarriedOut(record.model_dump_json(), place.model_dump_json(), files)


def _require_same_code(job: Job, address: str) -> None:
    """Refuse to compute with other code or libraries than the result would be filed under."""
    code = code_of(restore_settings(job))
    here = {"code": code.sha256, "versions": used_versions(code, job.identity.versions)}
    for what, found in here.items():
        asked = job.request[what]
        if found != asked:
            raise RunFailure(
                f"experiments.{job.experiment}: the Dask worker {address} has other {what} than this side: "
                f"{_differing(found, asked)}. Install the same there: the same commit, and the versions of "
                "constraints.txt."
            )


def _differing(found: Any, asked: Any) -> str:
    if not isinstance(found, dict):
        return f"{str(found)[:12]}... instead of {str(asked)[:12]}..."
    names = sorted(name for name in found.keys() | asked.keys() if found.get(name) != asked.get(name))
    return ", ".join(f"{name} {found.get(name)} instead of {asked.get(name)}" for name in names)


def _follow(job: Job, worker: Any, topic: str) -> RunRecord:
    """Carry out a job, tell how it goes, and end it when nobody wants it any more."""
    key = worker.get_current_task()
    name = f"{job.experiment}:{job.seed}"
    crew, over = Crew(), threading.Event()
    last = time.monotonic()

    def tell(event: str, **content: object) -> None:
        with suppress(Exception):  # progress is not worth a result
            worker.log_event(topic, {"event": event, "job": name, **content})

    def epoch(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= PAUSE:
            last = time.monotonic()
            tell("epoch", done=done, total=total)

    def watch() -> None:
        while not over.wait(PAUSE):
            task = worker.state.tasks.get(key)
            if task is None or task.state in {"cancelled", "released", "forgotten"}:
                crew.end()

    threading.Thread(target=watch, daemon=True, name="wanted").start()
    try:
        return crew.carry_out(job, lambda: tell("started"), epoch)
    finally:
        over.set()
