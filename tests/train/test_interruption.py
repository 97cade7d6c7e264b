from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from panelbench.config import Settings
from tests.helpers.processes import children, ended, last_descendants

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux's pidfds")

PROGRAM = """
import sys
from pathlib import Path
from panelbench.config import Settings
from panelbench.train import run

class Telling(run.SeedProgress):
    def epoch(self, job, done, total):
        print("epoch", job.seed, flush=True)

run.SeedProgress = Telling
run.train("endless", Settings.model_validate_json(sys.argv[1]), Path(sys.argv[2]))
"""


@contextmanager
def training(
    project: Path, settings: Settings, workers: int
) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Yield a program in the middle of an endless training, and handles of its workers."""
    text = settings.model_copy(
        update={"execution": settings.execution.model_copy(update={"workers": workers})}
    )
    command = [sys.executable, "-c", PROGRAM, text.model_dump_json(), str(project)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as parent:
        try:
            assert parent.stdout is not None
            seen: set[str] = set()
            while len(seen) < workers:
                line = parent.stdout.readline()
                assert line, parent.communicate()[1]
                seen.add(line)
            handles = [os.pidfd_open(pid) for pid in last_descendants(parent.pid)]
            assert len(handles) == workers
            handles += [os.pidfd_open(pid) for pid in children(parent.pid)]  # the template
            yield parent, handles
        finally:
            parent.kill()


@pytest.mark.parametrize(
    ("number", "code", "workers"), [(signal.SIGINT, -signal.SIGINT, 2), (signal.SIGTERM, 143, 1)]
)
def test_when_it_is_interrupted_then_workers_end_and_nothing_is_left(
    project: Path, settings: Settings, number: int, code: int, workers: int
) -> None:
    with training(project, settings, workers) as (parent, handles):
        parent.send_signal(number)
        parent.communicate(timeout=60)

        assert parent.returncode == code
        assert all(ended(handle, 60) for handle in handles)
    assert not (project / "data/runs/endless").exists()
    assert list((project / "data/.unfinished").iterdir()) == []


def test_when_it_is_killed_then_workers_end_and_the_next_run_clears_up(
    project: Path, settings: Settings
) -> None:
    from panelbench.train.workspace import filling

    with training(project, settings, 1) as (parent, handles):
        parent.kill()
        parent.communicate(timeout=60)
        assert all(ended(handle, 60) for handle in handles)

    unfinished = project / "data/.unfinished"
    target = project / "data/runs/endless"
    assert not target.exists()
    assert len(list(unfinished.iterdir())) == 1
    with filling(target, unfinished) as folder:
        assert list(unfinished.iterdir()) == [folder]
    assert target.is_dir()
