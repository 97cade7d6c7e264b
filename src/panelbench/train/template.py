"""The process that workers are forked from: `python -m panelbench.train.template <socket> <what to import>`.

It imports, says that it is ready, and then does as it is told over the socket: `fork`, with the handles of
a worker's stdin, stdout, stderr and status pipe, or `kill <number>`. It has one thread and keeps it so. When
the socket closes, because the parent ended in whatever way, it kills its workers and ends.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from panelbench.train.processes import READY
from panelbench.train.worker import limit_threads, main


def serve(handle: int, described: str) -> None:
    """Import what is asked for, then fork and watch until the socket closes."""
    wanted = json.loads(described)
    limit_threads(wanted["threads"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _import(wanted["modules"])
    with socket.socket(fileno=handle) as told:
        if len(list(Path("/proc/self/task").iterdir())) > 1:
            told.send(b"not fit")  # some library has started a thread, which a copy would lack
            return
        told.send(READY)
        _Nursery(told).watch()


def _import(modules: list[str]) -> None:
    """Import what all jobs need and then the given modules; what fails will fail in the job, and be told."""
    from panelbench.train.fit import warm_up

    for module in modules:
        with suppress(Exception):
            import_module(module)
    with suppress(Exception):
        warm_up()


class _Nursery:
    """The workers that are alive, each with a handle on its process and its status pipe."""

    def __init__(self, told: socket.socket) -> None:
        self._told = told
        self._poll = select.poll()
        self._poll.register(told, select.POLLIN)
        self._alive: dict[int, tuple[int, int]] = {}  # handle on the process: its number, its status pipe

    def watch(self) -> None:
        """Do what is told and notice who ends, until the socket closes."""
        while True:
            for ready, _ in self._poll.poll():
                if ready != self._told.fileno():
                    self._reap(ready)
                    continue
                message, handles, _, _ = socket.recv_fds(self._told, 64, 4)
                if message.startswith(b"kill "):
                    self._kill(int(message[5:]))
                elif message == b"fork":
                    self._fork(*handles)
                else:
                    for pid, _ in self._alive.values():
                        _kill_group(pid)
                    return

    def _fork(self, stdin: int, stdout: int, stderr: int, status: int) -> None:
        pid = os.fork()
        if pid == 0:
            try:
                self._become_worker(stdin, stdout, stderr, status)
            finally:
                os._exit(1)
        for handle in (stdin, stdout, stderr):
            os.close(handle)
        watched = os.pidfd_open(pid)
        self._alive[watched] = (pid, status)
        self._poll.register(watched, select.POLLIN)
        os.write(status, b"%d\n" % pid)

    def _become_worker(self, stdin: int, stdout: int, stderr: int, status: int) -> None:
        """Keep nothing of the template's but its memory, and carry out the job."""
        os.setsid()
        self._told.close()
        for watched, (_, other) in self._alive.items():
            os.close(watched)
            os.close(other)
        os.close(status)
        for place, handle in enumerate((stdin, stdout, stderr)):
            os.dup2(handle, place)
            os.close(handle)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            main()
        except BaseException:  # noqa: BLE001 - this is the end of a process; its parent reads what it says
            traceback.print_exc()
            sys.stderr.flush()

    def _reap(self, watched: int) -> None:
        """Kill what a worker left running, then let its number go and tell how it ended."""
        pid, status = self._alive.pop(watched)
        self._poll.unregister(watched)
        _kill_group(pid)
        _, ended = os.waitpid(pid, 0)
        with suppress(OSError):
            os.write(status, b"%d\n" % os.waitstatus_to_exitcode(ended))
        os.close(status)
        os.close(watched)

    def _kill(self, pid: int) -> None:
        if any(pid == alive for alive, _ in self._alive.values()):
            _kill_group(pid)


def _kill_group(pid: int) -> None:
    with suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2])
