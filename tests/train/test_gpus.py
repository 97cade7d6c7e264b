"""How many seeds share a GPU: what nvidia-smi says, and never more than there are cores."""

from __future__ import annotations

import pytest

from panelbench.config.settings import Settings
from panelbench.train import plan
from panelbench.train.gpus import room_for_seeds


@pytest.fixture
def gpus(tmp_path, monkeypatch):
    """Put a program named nvidia-smi first on the PATH that prints the given lines."""

    def show(*lines, code=0):
        program = tmp_path / "nvidia-smi"
        program.write_text("#!/bin/sh\n" + "".join(f"echo {line}\n" for line in lines) + f"exit {code}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    return show


def settings(**execution):
    return Settings(
        panel={}, seeds=(0,), experiments={"rnn": {"model": "rnn"}}, defaults={}, execution=execution
    )


def test_when_there_is_a_gpu_then_its_free_memory_bounds_the_seeds(gpus, monkeypatch):
    gpus(9000, 3000)
    assert room_for_seeds() == 4

    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert room_for_seeds() == 1

    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert room_for_seeds() is None


@pytest.mark.parametrize(("lines", "code"), [((), 0), (("no devices were found",), 6), (("N/A",), 0)])
def test_when_the_driver_says_nothing_useful_then_the_cores_decide(lines, code, gpus):
    gpus(*lines, code=code)

    assert room_for_seeds() is None


def test_when_workers_are_counted_then_neither_cores_nor_memory_are_exceeded(gpus, monkeypatch):
    monkeypatch.setattr(plan, "available_cores", lambda: 8)
    gpus(10_000)

    assert plan.count_workers(settings()) == 4
    assert plan.count_workers(settings(threads=4)) == 2
    assert plan.count_workers(settings(workers=7)) == 7
    on_cpu = settings().model_copy(update={"defaults": {"device": "cpu"}})
    assert plan.count_workers(on_cpu) == 8
