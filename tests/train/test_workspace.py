from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from panelbench.errors import RunFailure
from panelbench.train.workspace import filling


def test_when_the_block_fails_then_the_old_folder_stays_and_the_new_one_goes(tmp_path: Path) -> None:
    target = tmp_path / "runs/rnn"
    target.mkdir(parents=True)
    (target / "old.txt").write_text("old", "utf-8")

    def fail() -> None:
        with filling(target, tmp_path / "work") as folder:
            (folder / "new.txt").write_text("half", "utf-8")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert [path.name for path in target.iterdir()] == ["old.txt"]
    assert list((tmp_path / "work").iterdir()) == []


def test_when_the_block_ends_well_then_nothing_of_the_old_folder_is_left(tmp_path: Path) -> None:
    target = tmp_path / "runs/rnn"
    target.mkdir(parents=True)
    (target / "old.txt").write_text("old", "utf-8")

    with filling(target, tmp_path / "work") as folder:
        (folder / "new.txt").write_text("new", "utf-8")
        assert (target / "old.txt").exists()

    assert [path.name for path in target.iterdir()] == ["new.txt"]
    assert list((tmp_path / "work").iterdir()) == []


def test_when_others_are_at_work_then_their_folders_stay(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with filling(tmp_path / "runs/rnn", work) as first, filling(tmp_path / "runs/rnn", work) as second:
        assert first.is_dir()
        assert second.is_dir()
        with filling(tmp_path / "runs/rnn_two", work):
            assert first.is_dir()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only /proc tells that a process has ended")
def test_when_a_killed_process_waits_to_be_reaped_then_its_folder_is_cleared(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # ended, and not reaped
    unfinished = tmp_path / "unfinished"
    left = unfinished / f"runs.{socket.gethostname()}.{process.pid}.{started(process.pid)}.abc"
    left.mkdir(parents=True)
    with filling(tmp_path / "runs", unfinished):
        assert not left.exists()
    process.communicate()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only /proc tells when a process started")
def test_when_a_later_process_has_the_number_of_a_killed_one_then_its_folder_goes(tmp_path: Path) -> None:
    own = f"runs.{socket.gethostname()}.{os.getpid()}"
    mine = tmp_path / f"{own}.{started(os.getpid())}.abc"
    others = tmp_path / f"{own}.1.abc"
    for folder in (mine, others):
        folder.mkdir()
    with filling(tmp_path / "runs", tmp_path):
        assert mine.exists()
        assert not others.exists()


def started(number: int) -> str:
    """Return when a process started, as /proc has it."""
    return Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(") ")[2].split()[19]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_when_the_place_is_read_only_then_the_failure_names_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RunFailure, match="rnn cannot be written"), filling(tmp_path / "rnn", tmp_path / "w"):
        pass


def test_when_a_file_is_in_the_way_then_the_failure_names_the_target(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("not a folder", "utf-8")
    with (
        pytest.raises(RunFailure, match="rnn cannot be written"),
        filling(tmp_path / "runs/rnn", tmp_path / "w"),
    ):
        pass
