from __future__ import annotations

import os

import pytest

from panelbench.errors import InputError, RunFailure
from panelbench.probes.pool import spread

THREADS = "OMP_NUM_THREADS"


def answer(job: int) -> tuple[int, str | None]:
    if job == -1:
        os._exit(3)
    if job == -2:
        raise InputError("no")
    return job, os.environ.get(THREADS)


def test_when_jobs_are_spread_then_answers_come_in_their_order_from_processes_with_one_thread() -> None:
    told: list[tuple[int, int]] = []

    found = spread(answer, [3, 1, 2], 2, lambda done, total: told.append((done, total)))

    assert found == [(3, "1"), (1, "1"), (2, "1")]
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_when_a_process_ends_without_an_answer_then_that_is_said() -> None:
    with pytest.raises(RunFailure, match="ended without an answer"):
        spread(answer, [-1], 1)


def test_when_a_job_fails_then_its_error_comes_through() -> None:
    with pytest.raises(InputError, match="no"):
        spread(answer, [1, -2], 1)
