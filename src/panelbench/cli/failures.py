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
STOPPED = "panelbench: stopped. Nothing is half written; `dvc repro` goes on from here."


class ReportingGroup(TyperGroup):
    """The group of all commands, which reports their errors instead of letting a traceback out."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; on an error print it to stderr and exit with its code.

        `PanelbenchError` carries its own code (2 for bad input, 1 for a failure). Anything else that is
        not the parser's own is a fault of this program: code 1 and how to see the traceback.
        """
        debug = bool(ctx.params.get("debug"))
        try:
            return super().invoke(ctx)
        except PanelbenchError as error:
            code, message = error.exit_code, f"panelbench: {error}"
        except KeyboardInterrupt:
            code, message = INTERRUPTED, STOPPED
        except Exception as error:
            if _is_for_the_parser(error):
                raise
            code, message = 1, _fault(error)
        if debug:
            traceback.print_exc()
        print_paragraph(message)
        raise typer.Exit(code)


def print_paragraph(message: str) -> None:
    """Print one paragraph to stderr, wrapped to the width of a terminal and unwrapped in a log."""
    if sys.stderr.isatty():
        width = max(40, shutil.get_terminal_size().columns)
        message = textwrap.fill(message, width, break_long_words=False, break_on_hyphens=False)
    print(message, file=sys.stderr, flush=True)  # noqa: T201


def _is_for_the_parser(error: Exception) -> bool:
    """Return whether typer itself knows best what to do: usage errors, exits, a closed pipe."""
    if isinstance(error, OSError):
        return error.errno == errno.EPIPE
    return type(error).__module__.partition(".")[0] in {"typer", "click"}


def _fault(error: Exception) -> str:
    """Return the paragraph for an error that nobody foresaw."""
    text = " ".join(str(error).split())
    shown = text if len(text) <= 300 else text[:297] + "..."
    command = " ".join(["panelbench", "--debug", *sys.argv[1:]])
    return (
        f"panelbench: a fault in panelbench itself, not in your input ({type(error).__name__}: "
        f"{shown or 'no message'}). `{command}` in {Path.cwd()} shows the traceback."
    )
