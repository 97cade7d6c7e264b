"""Who opens the project's data files while a model learns and forecasts.

A model gets windows that end where its knowledge ends. One that opens `data/panel.parquet` by itself walks
around them, and disturbing the panel in memory does not show it, since the file stays as it is. So the files
are watched, by two means:

- the interpreter's audit hook sees every file that this process opens through Python (PEP 578), and can
  refuse it before it is open; pyarrow, which opens files without Python, is asked for the path;
- Linux's inotify sees that a file is opened whoever does it, a library written in C or another process
  included, but neither who it was nor in time to refuse. Other systems do without.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

IN_OPEN, IN_ISDIR = 0x20, 0x40000000
"""Of inotify(7): something was opened; it was a folder."""
EVENT = struct.Struct("iIII")
MOST_FOLDERS = 2000
"""Folders watched; a system grants a process a few thousand."""
BUFFER = 1 << 16


class Forbidden(PermissionError):
    """A model opened one of the project's data files."""


@dataclass
class Opened:
    """What was opened under a folder while it was watched.

    Attributes
    ----------
    here
        Paths that this process opened through Python, relative to the folder.
    somewhere
        Paths that were opened by anybody.
    """

    folder: str
    allowed: tuple[str, ...]
    refuse: bool
    here: dict[str, None] = field(default_factory=dict)
    somewhere: dict[str, None] = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        """All paths, sorted."""
        return sorted({*self.here, *self.somewhere})

    def require_none(self) -> None:
        """Raise `Forbidden` if this process opened anything, also where the model let that pass."""
        if self.here:
            raise Forbidden(
                f"the model opened {', '.join(sorted(self.here))} in {self.folder} by itself; what a model "
                "may know is in the windows it is given"
            )

    def see(self, path: Any) -> None:
        """Note a path if it leads into the folder; raise if that is refused."""
        if not isinstance(path, str | bytes | os.PathLike):  # opened before: a descriptor or a stream
            return
        absolute = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - called for every file: no objects
        for one in (absolute, os.path.realpath(absolute)):
            if _within(one, self.folder) and not any(_within(one, place) for place in self.allowed):
                self.here[os.path.relpath(one, self.folder)] = None
                if self.refuse:
                    self.require_none()
                return


@contextmanager
def sealed(folder: Path, *, refuse: bool, allowed: Sequence[Path] = ()) -> Iterator[Opened]:
    """Watch every file under `folder` while the block runs.

    Parameters
    ----------
    folder
        The project's data folder.
    refuse
        True raises `Forbidden` when this process opens a file there, or at the latest when the block ends.
        False only notes it, and notes what others open too, where the system can tell.
    allowed
        Folders in it that may be used.
    """
    opened = Opened(_real(folder), tuple(_real(one) for one in allowed), refuse)
    _install()
    watch = None if refuse else _Inotify.start(opened.folder)
    _watching.append(opened)
    try:
        yield opened
    finally:
        _watching.remove(opened)
        if watch is not None:
            opened.somewhere.update(dict.fromkeys(watch.stop()))
    if refuse:
        opened.require_none()


_watching: list[Opened] = []
_installed: list[bool] = []


def _install() -> None:
    """Add the hooks once: the interpreter's cannot be taken away. They do nothing while nothing is sealed."""
    if _installed:
        return
    _installed.append(True)
    sys.addaudithook(_hook)
    kinds: tuple[Any, ...] = (pq.ParquetDataset, pq.ParquetFile)
    for kind in kinds:
        kind.__init__ = _telling(kind.__init__)


def _telling(init: Callable[..., None]) -> Callable[..., None]:
    """Return a reader's `__init__` that first says which paths it is given."""

    @wraps(init)
    def told(self: Any, source: Any, *rest: Any, **options: Any) -> None:
        for one in source if isinstance(source, list | tuple) else [source]:
            _hook("open", (one,))
        init(self, source, *rest, **options)

    return told


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _watching:
        for opened in tuple(_watching):
            opened.see(arguments[0])


def _real(folder: Path) -> str:
    return os.path.realpath(folder)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


class _Inotify:
    """Linux's list of what was opened under a folder."""

    def __init__(self, descriptor: int, root: str) -> None:
        self._descriptor = descriptor
        self._root = root
        self._places: dict[int, str] = {}

    @classmethod
    def start(cls, root: str) -> _Inotify | None:
        """Watch a folder and those in it; None where the system has no such thing."""
        if not sys.platform.startswith("linux"):
            return None
        library = ctypes.CDLL(None, use_errno=True)
        if not hasattr(library, "inotify_init1"):
            return None
        descriptor = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if descriptor < 0:
            return None
        found = cls(descriptor, root)
        for place, _, names in os.walk(root):
            if len(found._places) >= MOST_FOLDERS:
                break
            found._add(library, place)
            if place == root:  # a link or a second name of the file, opened elsewhere, shows only here
                for name in names:
                    found._add(library, os.path.join(place, name))  # noqa: PTH118
        return found

    def _add(self, library: Any, place: str) -> None:
        number = library.inotify_add_watch(self._descriptor, os.fsencode(place), IN_OPEN)
        if number >= 0:
            self._places[number] = place

    def stop(self) -> list[str]:
        """Return the files that were opened, relative to the folder, and watch no longer."""
        found: dict[str, None] = {}
        try:
            while True:
                content = os.read(self._descriptor, BUFFER)
                place = 0
                while place < len(content):
                    number, mask, _, length = EVENT.unpack_from(content, place)
                    name = content[place + EVENT.size : place + EVENT.size + length].rstrip(b"\0")
                    place += EVENT.size + length
                    if mask & IN_OPEN and not mask & IN_ISDIR and number in self._places:
                        path = os.path.join(self._places[number], os.fsdecode(name))  # noqa: PTH118
                        found[os.path.relpath(path.rstrip(os.sep), self._root)] = None
        except BlockingIOError:
            pass
        finally:
            os.close(self._descriptor)
        return list(found)
