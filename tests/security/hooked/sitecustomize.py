"""Noted by every Python that starts with this folder in PYTHONPATH: ports and connections, in a file."""

from __future__ import annotations

import os
import sys

EVENTS = {"socket.bind", "socket.listen", "socket.connect", "socket.sendto", "socket.getaddrinfo"}


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event in EVENTS and getattr(arguments[0], "family", None) != 1:  # 1: within the machine's file system
        with open(os.environ["NOTED_EVENTS"], "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(f"{event} {arguments[1:]!r}\n")


if "NOTED_EVENTS" in os.environ:
    sys.addaudithook(_note)
