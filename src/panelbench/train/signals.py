"""Let a termination unwind the program, and let nothing interrupt the cleaning up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def termination_raises() -> Iterator[None]:
    """Let SIGTERM unwind the block like Ctrl-C does, so that workers and half folders go.

    Raises
    ------
    SystemExit
        With code 143, the usual one, when SIGTERM arrives.
    """
    if not _in_main_thread():
        yield
        return

    def leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
        raise SystemExit(128 + number)

    previous = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM off while the block cleans up."""
    if not _in_main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    previous = [signal.signal(number, signal.SIG_IGN) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, previous, strict=True):
            signal.signal(number, handler)


def _in_main_thread() -> bool:
    """Return whether this thread may set signal handlers."""
    return threading.current_thread() is threading.main_thread()
