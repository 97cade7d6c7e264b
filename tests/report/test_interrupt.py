"""Ctrl-C while the report is made, in a process of its own."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.report.conftest import SIX, Project

# Neither a file that closes itself (an error while it does is dropped) nor signal.pause (a signal just before
# it is missed): both would lose Ctrl-C now and then, which no cell of the report does.
WAIT = "import os; os.write(os.open({fifo!r}, os.O_WRONLY), b'here')\nwhile True: pass"


@pytest.mark.parametrize("place", ["cell", "pandoc"])
def test_when_stopped_while_the_report_is_made_then_it_says_so_and_the_old_report_stays(
    project: Project, place: str
) -> None:
    project.tree.add("rnn", seeds=SIX)
    project.finish(report={"renderer": "builtin"})
    reports, fifo = project.root / "reports", project.root / "fifo"
    (reports / "benchmark.html").write_text("the report before")
    os.mkfifo(fifo)
    environment = dict(os.environ)
    if place == "cell":
        document = reports / "benchmark.qmd"
        wait = WAIT.format(fifo=str(fifo))
        document.write_text(document.read_text().replace('report.show("answer")', wait))
    else:
        environment["PYPANDOC_PANDOC"] = str(slow_pandoc(project.root, fifo))
    before = sorted(path.name for path in reports.iterdir())
    process = subprocess.Popen(
        [sys.executable, "-m", "panelbench", "report"], cwd=project.root, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        # A job started in the background ignores Ctrl-C, and what it starts inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )  # fmt: skip
    try:
        assert arrived(fifo), "it ended before it was there"
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert said.strip().endswith("stopped. Nothing is half written; `dvc repro` goes on from here.")
    assert (reports / "benchmark.html").read_text() == "the report before"
    assert sorted({path.name for path in reports.iterdir()} - {"figures"}) == before


def arrived(fifo: Path) -> bool:
    """Wait until somebody has written to the pipe; a minute is enough on any machine."""
    end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return bool(select.select([end], [], [], 60)[0])
    finally:
        os.close(end)


def slow_pandoc(folder: Path, fifo: Path) -> Path:
    """Write a program that tells its version and otherwise waits."""
    program = folder / "pandoc"
    version = '[ "$1" = --version ] && echo pandoc 3.9 && exit'
    lines = ["#!/bin/sh", version, f"echo here > {fifo}", "exec sleep 60"]
    program.write_text("\n".join([*lines, ""]))
    program.chmod(0o755)
    return program
