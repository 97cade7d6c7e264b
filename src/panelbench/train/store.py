"""Finished seeds, kept so that none is trained twice: `data/store/<key>/<place>/`.

The key is the hash of the request (`request.py`), the place that of the machine (`place.py`). An entry holds
a run's parts and a manifest with their hashes; it is renamed into place as a whole, so it is complete or
absent. A failed run is never kept. The store may be deleted at any time: it only saves work.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from panelbench.config import Strict
from panelbench.errors import RunFailure
from panelbench.files import sha256, write_json
from panelbench.train.job import RECORD, STDERR, Job
from panelbench.train.place import Place, device_here, this_place
from panelbench.train.record import RunRecord
from panelbench.train.request import key_of

STORE = Path("data/store")
MANIFEST = "manifest.json"


class Manifest(Strict):
    """What an entry is: the request it answers, where it was computed, the hash of each of its files."""

    request: dict[str, Any]
    place: Place
    files: dict[str, str]


@dataclass(frozen=True)
class Finished:
    """A seed with its parts, wherever they lie."""

    record: RunRecord
    folder: Path


class Store:
    """The entries under one folder.

    Parameters
    ----------
    folder
        `data/store` of a project; made when the first seed is kept.
    anywhere
        Whether a result from another kind of machine will do, as on a cluster.
    say
        Told what was found damaged, or could not be kept.
    """

    def __init__(self, folder: Path, anywhere: bool, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._anywhere = anywhere
        self._say = say

    def find(self, job: Job) -> Finished | None:
        """Return the stored result of a job, as a record of the present code; None where there is none.

        Every file is held against its hash. An entry that does not pass is removed, and said to be.
        """
        key = key_of(job.request)
        for place in self._places(job, key):
            entry = self._folder / key / place
            try:
                record = _verify(entry, job)
            except _Damaged as damage:
                shutil.rmtree(entry, ignore_errors=True)
                self._say(
                    f"{job.experiment}: the stored seed {job.seed} is damaged ({damage}); it was removed "
                    "and is trained again."
                )
                continue
            return Finished(_restated(record, job), entry)
        return None

    def keep(self, job: Job, record: RunRecord, place: Place | None) -> Finished:
        """Store a job's parts where they belong, if the run finished; return where they are now.

        Parameters
        ----------
        place
            Where it was computed; None for this machine.
        """
        parts = Path(job.folder)
        finished = Finished(record, parts)
        if not record.ok:
            return finished
        place = place or this_place(record.device or "cpu")
        entry = self._folder / key_of(job.request) / place.digest
        try:
            (parts / STDERR).unlink(missing_ok=True)
            hashes = {file.name: sha256(file) for file in sorted(parts.iterdir())}
            manifest = Manifest(request=job.request, place=place, files=hashes)
            write_json(parts / MANIFEST, manifest.model_dump(mode="json"))
            entry.parent.mkdir(parents=True, exist_ok=True)
            _move(parts, entry)
        except (OSError, RunFailure) as error:
            if getattr(error, "errno", None) not in (errno.ENOTEMPTY, errno.EEXIST):  # another was as fast
                self._say(f"{job.experiment}: seed {job.seed} could not be stored: {error}")
            return finished
        return Finished(record, entry)

    def sizes(self) -> dict[str, int]:
        """Return the bytes of all entries of each key."""
        return {
            folder.name: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            for folder in self._keys()
        }

    def prune(self, used: Iterable[str]) -> int:
        """Remove every key that is not in `used`; return how many were removed."""
        unused = [folder for folder in self._keys() if folder.name not in set(used)]
        for folder in unused:
            shutil.rmtree(folder, ignore_errors=True)
        return len(unused)

    def _keys(self) -> list[Path]:
        return sorted(folder for folder in self._folder.glob("*") if folder.is_dir())

    def _places(self, job: Job, key: str) -> Iterator[str]:
        """Yield the digests of places whose result will do, this machine's first."""
        if not (self._folder / key).is_dir():
            return
        here = this_place(device_here(job.device)).digest
        there = sorted(folder.name for folder in (self._folder / key).iterdir() if folder.is_dir())
        if here in there:
            yield here
        if self._anywhere:
            yield from (place for place in there if place != here and not place.startswith("."))


class _Damaged(Exception):
    """An entry is not what was stored."""


def _verify(entry: Path, job: Job) -> RunRecord:
    """Return the record of an entry all of whose files are what its manifest says, and the job's."""
    try:
        manifest = Manifest.model_validate_json((entry / MANIFEST).read_bytes())
        names = {file.name for file in entry.iterdir()} - {MANIFEST}
        if manifest.request != job.request:
            raise _Damaged("it belongs to another run")
        if manifest.place.digest != entry.name:
            raise _Damaged("it was computed on another kind of machine")
        if names != set(manifest.files):
            raise _Damaged(f"its files are {', '.join(sorted(names)) or 'gone'}")
        for name, digest in manifest.files.items():
            if sha256(entry / name) != digest:
                raise _Damaged(f"{name} has changed")
        record = RunRecord.model_validate_json((entry / RECORD).read_bytes())
    except (OSError, ValidationError) as error:
        raise _Damaged(f"{MANIFEST} or {RECORD} cannot be read") from error
    if not record.ok or record.seed != job.seed:
        raise _Damaged(f"{RECORD} is not of a finished seed {job.seed}")
    return record


def _restated(record: RunRecord, job: Job) -> RunRecord:
    """Return a stored record as one of the present code and libraries: by its key they compute the same."""
    now = job.identity
    return record.model_copy(
        update={
            "from_store": True,
            "code_sha256": now.code_sha256,
            "git_revision": now.git_revision,
            "versions": now.versions,
        }
    )


def _move(parts: Path, entry: Path) -> None:
    """Rename a folder; through a copy beside the target where that is on another file system."""
    try:
        parts.rename(entry)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        aside = entry.with_name(f".{entry.name}.{os.getpid()}")
        try:
            shutil.copytree(parts, aside)
            aside.rename(entry)
        finally:
            with suppress(OSError):
                shutil.rmtree(aside)
