"""Fixtures shared by every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.runs_tree import RunsTree

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def m5_csv() -> Path:
    """The lecture's weekly panel, which is shared beside the checkout and never part of it."""
    path = ROOT.parent / "shared" / "data" / "m5_weekly.csv"
    if not path.exists():
        pytest.skip("the lecture's panel (../shared/data/m5_weekly.csv) is not beside this checkout")
    return path


@pytest.fixture
def runs_tree(tmp_path: Path) -> RunsTree:
    """A project folder with a small panel and no runs yet; `runs_tree.add(...)` writes one experiment."""
    return RunsTree(tmp_path)
