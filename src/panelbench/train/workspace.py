"""A folder that appears whole or not at all."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from panelbench.errors import RunFailure
from panelbench.train.signals import uninterrupted

UNKNOWN = "?"


@contextmanager
def working(name: str, unfinished: Path) -> Iterator[Path]:
    """Yield an empty folder inside `unfinished` that is gone when the block ends, however it ends.

    What a killed process left behind is cleared by the next one of the same name; the folder's name tells
    whose it is.

    Raises
    ------
    RunFailure
        If the folder cannot be made.
    """
    prefix = f"{name}.{socket.gethostname()}."
    try:
        unfinished.mkdir(parents=True, exist_ok=True)
        for left in unfinished.glob(f"{prefix}*"):
            if not _is_alive(left.name.removeprefix(prefix)):
                shutil.rmtree(left, ignore_errors=True)
        owner = f"{os.getpid()}.{_state_and_start(os.getpid())[1]}"
        folder = Path(tempfile.mkdtemp(prefix=f"{prefix}{owner}.", dir=unfinished))
    except OSError as error:
        raise RunFailure(f"{unfinished} cannot be written: {error.strerror}.") from error
    try:
        yield folder
    finally:
        with uninterrupted():
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def filling(target: Path, unfinished: Path) -> Iterator[Path]:
    """Yield an empty folder inside `unfinished` that takes the place of `target` when the block ends well.

    When the block ends with an error the folder goes and `target` stays as it was.

    Parameters
    ----------
    unfinished
        On the file system of `target`, and not inside a folder that anything depends on.

    Raises
    ------
    RunFailure
        If the folder cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFailure(f"{target} cannot be written: {error.strerror}.") from error
    with working(target.name, unfinished) as folder:
        try:
            yield folder
            folder.chmod(0o755)
            _replace(folder, target)
        except OSError as error:
            raise RunFailure(f"{target} cannot be written: {error.strerror or error}.") from error


def _replace(folder: Path, target: Path) -> None:
    """Put `folder` in the place of `target`; POSIX cannot swap folders, so the old one steps aside first."""
    if not target.exists():
        folder.rename(target)
        return
    aside = folder.with_name(f"{folder.name}.old")
    target.rename(aside)
    folder.rename(target)
    shutil.rmtree(aside, ignore_errors=True)


def _is_alive(owner: str) -> bool:
    """Return whether the owner of a folder, "number.start.anything", still runs on this machine.

    One that has ended and waits to be reaped does not. A later process may have been given the same number;
    the moment it started tells them apart.
    """
    number, _, rest = owner.partition(".")
    if not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except OSError:  # it runs, under another user
        return True
    state, now = _state_and_start(int(number))
    return state not in {"Z", "X"} and now in {rest.partition(".")[0], UNKNOWN}


def _state_and_start(number: int) -> tuple[str, str]:
    """Return a process's state and start, in ticks since the machine's own: the clock does not matter.

    Both are UNKNOWN where there is no /proc, or the process ended meanwhile.
    """
    try:
        text = Path(f"/proc/{number}/stat").read_text("utf-8", errors="replace")
    except OSError:
        return UNKNOWN, UNKNOWN
    fields = text.rpartition(") ")[2].split()  # the name before may hold anything: proc_pid_stat(5)
    return fields[0], fields[19]
