"""Turn whatever goes wrong in a command into one paragraph and an exit code."""

from __future__ import annotations

import errno
import shutil
import sys
import textwrap
import traceback
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from panelbench.errors import PanelbenchError

INTERRUPTED = 130
"""The exit code that shells give a program stopped by Ctrl-C (128 + SIGINT)."""


class ReportingGroup(TyperGroup):
    """The group of all commands, which reports their errors instead of letting a traceback out."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; on an error print it to stderr and exit with its code.

        `PanelbenchError` carries its own code (2 for bad input, 1 for a failure). Anything else that is
        not the parser's own is a fault of this program: code 1 and how to see the traceback.
        """
        try:
            return super().invoke(ctx)
        except (Exception, KeyboardInterrupt) as error:
            if _is_for_the_parser(error):
                raise
            if ctx.params.get("debug"):
                traceback.print_exc()
            code, message = _explain(error)
            print_paragraph(f"panelbench: {message}")
            raise typer.Exit(code) from error


def print_paragraph(message: str) -> None:
    """Print one paragraph to stderr, wrapped to the width of a terminal and unwrapped in a log.

    Line breaks in it become spaces and control characters are written out: parts of a message come from the
    user's files, and a terminal would obey them.
    """
    from panelbench.config.strict import is_one_line

    message = "".join(
        one if is_one_line(one) else " " if one.isspace() else repr(one)[1:-1] for one in message.strip()
    )
    if sys.stderr.isatty():
        width = max(40, shutil.get_terminal_size().columns)
        message = textwrap.fill(message, width, break_long_words=False, break_on_hyphens=False)
    print(message, file=sys.stderr, flush=True)  # noqa: T201


def _is_for_the_parser(error: BaseException) -> bool:
    """Return whether typer itself knows best what to do: usage errors, exits, a closed pipe."""
    if isinstance(error, OSError):
        return error.errno == errno.EPIPE
    return type(error).__module__.partition(".")[0] == "typer"


def _explain(error: BaseException) -> tuple[int, str]:
    """Return the exit code and the paragraph for an error."""
    if isinstance(error, PanelbenchError):
        return error.exit_code, str(error)
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, "stopped. Nothing is half written; `dvc repro` goes on from here."
    text = " ".join(str(error).split()) or "no message"
    shown = text if len(text) <= 300 else text[:297] + "..."
    given = [argument for argument in sys.argv[1:] if argument != "--debug"]
    command = " ".join(["panelbench", "--debug", *given])
    return 1, (
        f"an unforeseen error{_place(error)}: {type(error).__name__}: {shown}. Unless that code is your own, "
        "it is a fault in panelbench itself, not in your input. "
        f"`{command}`{_here()} shows the traceback."
    )


def _here() -> str:
    """Return " in " and the current folder; nothing where it has been removed."""
    try:
        return f" in {Path.cwd()}"
    except OSError:
        return ""


def _place(error: BaseException) -> str:
    """Return where the innermost line outside installed libraries stands, such as " in rnn.py, line 12"."""
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not {"site-packages", "dist-packages"} & set(Path(frame.filename).parts)
    ]
    return f" in {Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""
