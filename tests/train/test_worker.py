from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from panelbench.config import Settings
from panelbench.models import registry
from panelbench.train.plan import make_jobs

PROGRAM = """
import sys
from pathlib import Path
from panelbench.train import worker
from panelbench.train.job import Job
job = Job.model_validate_json(sys.stdin.readline())
worker.limit_threads(job.identity.threads)
early = {"numpy", "pandas", "torch"} & set(sys.modules)
assert not early, early
from panelbench.train.fit import carry_out
assert carry_out(job, lambda done, total: None).ok
print(*sorted({"torch", "sklearn", "xgboost", "statsmodels", "rich"} & set(sys.modules)))
"""


def job_of(name: str, project: Path, settings: Settings) -> str:
    experiment = registry.resolve(settings)[name]
    return make_jobs(name, experiment, (0,), settings, project, project)[0].model_dump_json()


@pytest.mark.parametrize(("name", "expected"), [("naive", ""), ("rnn", "torch")])
def test_when_a_model_does_not_need_a_library_then_it_is_not_imported(
    project: Path, settings: Settings, name: str, expected: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=job_of(name, project, settings) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, expected), done.stderr


def test_when_a_worker_has_done_its_job_then_stdout_holds_events_only(
    project: Path, settings: Settings
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "panelbench.train.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(job_of("naive", project, settings).encode() + b"\n")
        worker.stdin.flush()
        assert worker.stdout.read() == b""
        assert worker.wait() == 0
    assert (project / "0" / "record.json").exists()


def test_when_threads_are_limited_then_every_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from panelbench.train import worker

    for variable in worker.THREAD_VARIABLES:
        monkeypatch.setenv(variable, "7")
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    worker.limit_threads(2)
    assert {os.environ[variable] for variable in worker.THREAD_VARIABLES} == {"2"}
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":16:8"
