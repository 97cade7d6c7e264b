"""See what code does to the machine around it: files written, connections, ports, processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {"os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.utime"}
MOVES = {"os.rename", "os.link", "os.symlink"}
STARTS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile"}


def _place(path: Any) -> str:
    """Return where a name really is; what it links to, if it is a link, is another place."""
    name = Path(os.fsdecode(path))
    return str(name.parent.resolve() / name.name)


@dataclass
class Watched:
    """What happened while it was watched (libraries that open files in C++ are not seen)."""

    writes: list[str] = field(default_factory=list)
    ports: list[Any] = field(default_factory=list)
    connections: list[Any] = field(default_factory=list)
    processes: list[Any] = field(default_factory=list)

    def note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if flags & WRITING and isinstance(path, str | bytes | os.PathLike):
                self.writes.append(_place(path))
        elif event in CHANGES and isinstance(arguments[0], str | bytes | os.PathLike):
            self.writes.append(_place(arguments[0]))
        elif event in MOVES:
            self.writes.append(_place(arguments[1]))
        elif event in {"socket.bind", "socket.listen"}:
            self.ports.append(arguments[1:])
        elif event in {"socket.connect", "socket.sendto"}:
            self.connections.append(arguments[1:])
        elif event in STARTS:
            self.processes.append(arguments[0])

    def outside(self, folder: Path) -> list[str]:
        """Return what was written anywhere but in `folder`, Python's own caches and /dev left out."""
        inside = (str(folder.resolve()) + os.sep, "/dev/", "/proc/")
        return [
            path
            for path in self.writes
            if not path.startswith(inside) and path != str(folder.resolve()) and "__pycache__" not in path
        ]


_watching: list[Watched] = []
_installed: list[bool] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching:
        _watching[-1].note(event, arguments)


@contextmanager
def watched() -> Iterator[Watched]:
    """Record what happens in the block, in this process and all its threads."""
    if not _installed:  # a hook cannot be taken away again, so there is one
        sys.addaudithook(_hook)
        _installed.append(True)
    found = Watched()
    _watching.append(found)
    try:
        yield found
    finally:
        _watching.remove(found)
