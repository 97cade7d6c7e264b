"""Start worker processes: each from nothing, or as a copy of one that has imported what they need.

Importing a network's libraries takes seconds, as long as a short training. Where several jobs need the
same, a template process imports it once, computes nothing, and is copied (forked) for each job. The copy is
as fresh as a process of its own: nothing was drawn, no thread was started, no device was touched.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Protocol

from panelbench.errors import RunFailure

ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"}
CAN_FORK = sys.platform == "linux" and hasattr(os, "pidfd_open")
"""Elsewhere, system libraries do not survive a fork."""
READY = b"ready"


class Worker(Protocol):
    """A process at work: its pipes, and how it ends."""

    stdin: IO[bytes]
    stdout: IO[bytes]

    def kill(self) -> None:
        """Kill it with all it started; nothing happens if it has ended."""

    def await_end(self) -> int:
        """Wait for it, end what it left running, return its exit code, -n for signal n.

        Closing its stdin ends a worker that has not ended by itself.
        """


class Spawned:
    """A worker that started from nothing."""

    def __init__(self, stderr: int) -> None:
        # Its own group: Ctrl-C reaches this process alone, which then ends its workers.
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "panelbench.train.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=os.environ | ENVIRONMENT,
                start_new_session=True,
            )
        except OSError as error:
            raise RunFailure(f"no process can be started: {error.strerror}.") from error
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018
        self.stdin: IO[bytes] = self._process.stdin
        self.stdout: IO[bytes] = self._process.stdout

    def kill(self) -> None:
        """Kill its process group, or the worker alone where there are no groups."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def await_end(self) -> int:
        """Wait for it; it is reaped last, since until then its number cannot be given to another process."""
        with suppress(OSError):
            self.stdin.close()
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            self.kill()
        return self._process.wait()


class Template:
    """A process that has imported some modules, and from which workers are forked.

    Parameters
    ----------
    modules
        Dotted names of what to import.
    threads
        Of the numerical libraries, which read it when they are imported.
    """

    def __init__(self, modules: Sequence[str], threads: int) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            described = json.dumps({"modules": list(modules), "threads": threads})
            module = ["-P", "-m", "panelbench.train.template"]
            # pyarrow's allocator would start a thread of its own, and a process with threads is not copied.
            environment = {"JE_ARROW_MALLOC_CONF": "background_thread:false"} | dict(os.environ) | ENVIRONMENT
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter, a fixed module
                [sys.executable, *module, str(theirs.fileno()), described],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=environment, pass_fds=[theirs.fileno()], start_new_session=True,
            )  # fmt: skip
        self._socket = ours
        self._lock = threading.Lock()
        self._ready: bool | None = None

    def fork(self, stderr: int) -> Forked | None:
        """Return a new worker; None where the template is not fit to be copied."""
        with self._lock:
            if self._ready is None:
                try:
                    self._ready = self._socket.recv(64) == READY
                except OSError:
                    self._ready = False
            if not self._ready:
                return None
            try:
                return Forked(self._socket, stderr)
            except OSError:  # it was killed; whoever is left starts from nothing
                self._ready = False
                return None

    def close(self) -> None:
        """End it, and with it whatever it started."""
        if not self._ready:  # it may be importing, and a job may be waiting for it
            self._process.kill()
        self._socket.close()
        self._process.wait()


class Forked:
    """A worker that is a copy of a template, which watches it on our behalf."""

    def __init__(self, template: socket.socket, stderr: int) -> None:
        their_stdin, our_stdin = os.pipe()
        our_stdout, their_stdout = os.pipe()
        our_status, their_status = os.pipe()
        self.stdin: IO[bytes] = os.fdopen(our_stdin, "wb")
        self.stdout: IO[bytes] = os.fdopen(our_stdout, "rb")
        self._status: IO[bytes] = os.fdopen(our_status, "rb")
        self._template = template
        given = [their_stdin, their_stdout, stderr, their_status]
        try:
            socket.send_fds(template, [b"fork"], given)
        except OSError:
            for pipe in (self.stdin, self.stdout, self._status):
                pipe.close()
            raise
        finally:
            for handle in (their_stdin, their_stdout, their_status):
                os.close(handle)
        self._pid = self._status.readline().strip()

    def kill(self) -> None:
        """Ask the template, which knows whether the number is still this worker's."""
        with suppress(OSError):
            self._template.send(b"kill " + self._pid)

    def await_end(self) -> int:
        """Wait until the template has seen it end; with the template gone, it was killed too."""
        with suppress(OSError):
            self.stdin.close()
        with self._status:
            told = self._status.readline().strip()
        return int(told) if told else -signal.SIGKILL
