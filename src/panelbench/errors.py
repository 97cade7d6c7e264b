"""The two kinds of error a user meets, and the exit code of each."""

from __future__ import annotations


class PanelbenchError(Exception):
    """Base of every error that is reported as one paragraph instead of a traceback."""

    exit_code = 1


class InputError(PanelbenchError):
    """The user's input cannot be used: settings, a file, a name. Exit code 2.

    The message is one paragraph that names the file or key, the place in it, the value found, what
    would be accepted and what to do.
    """

    exit_code = 2


class RunFailure(PanelbenchError):
    """The work could not be finished though the input is fine: network, disk, a failed seed. Exit code 1."""

    exit_code = 1
