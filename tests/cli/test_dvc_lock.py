from __future__ import annotations

import os
from pathlib import Path

import pytest

from panelbench.cli.dvc_lock import LOCKS, remove_broken_locks


@pytest.mark.parametrize(
    ("content", "age", "removed"),
    [("", 60, True), ('{"a": ', 60, True), ("", 0, False), ("{}", 60, False)],
    ids=["emptied", "half", "being written", "whole"],
)
def test_when_a_killed_dvc_left_its_locks_then_only_a_broken_list_is_removed(
    tmp_path: Path, content: str, age: int, removed: bool
) -> None:
    path = tmp_path / LOCKS
    path.parent.mkdir(parents=True)
    path.write_text(content, "utf-8")
    written = path.stat().st_mtime - age
    os.utime(path, (written, written))
    assert remove_broken_locks(tmp_path) is removed
    assert path.exists() is not removed


def test_when_dvc_never_ran_then_nothing_is_removed(tmp_path: Path) -> None:
    assert not remove_broken_locks(tmp_path)
