"""The short form of `python -m tests.faults.kill`: one fault of each kind, up to the trained runs."""

from __future__ import annotations

import signal

import pytest

from tests.faults.faults import TRAINING, damaged, damaged_store, no_room_for_files, stop, two_at_once
from tests.faults.harness import Fault, Harness

pytestmark = pytest.mark.pipeline


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    return Harness(tmp_path_factory.mktemp("faults"), *TRAINING)


def check(harness: Harness, fault: Fault, finished: bool = False) -> None:
    trial = harness.try_out(fault, finished)
    assert trial.survived, trial


def test_when_training_is_killed_then_the_next_run_has_the_same_bytes(harness: Harness) -> None:
    check(harness, Fault("kill -9", lambda project: stop(project, 4.0, signal.SIGKILL, "train@rnn")))


def test_when_there_is_no_room_then_it_is_said_and_the_next_run_goes_on(harness: Harness) -> None:
    check(harness, Fault("no room", no_room_for_files))


def test_when_two_run_at_once_then_one_is_told_and_the_other_finishes(harness: Harness) -> None:
    check(harness, Fault("two at once", two_at_once))


def test_when_stored_seeds_and_results_are_damaged_then_they_are_trained_again(harness: Harness) -> None:
    check(harness, Fault("store", damaged_store), finished=True)
    check(harness, Fault("forecasts", damaged("data/runs/rnn/predictions.parquet")), finished=True)
