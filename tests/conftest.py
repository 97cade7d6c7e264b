"""Fixtures shared by every test."""

from __future__ import annotations

import signal
from pathlib import Path

import hypothesis
import pytest

from tests.helpers.runs_tree import RunsTree

ROOT = Path(__file__).resolve().parents[1]

# The same examples in every run: a failure is the change's. `--hypothesis-profile=nightly` draws new ones.
hypothesis.settings.register_profile("every run", derandomize=True, database=None, deadline=None)
hypothesis.settings.register_profile("nightly", max_examples=20_000, deadline=None, print_blob=True)
hypothesis.settings.load_profile("every run")

# A shell that starts the tests in the background lets them, and all they start, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put whole pipelines first: a file of minutes that came last would leave the other workers idle."""
    items.sort(key=lambda item: item.get_closest_marker("pipeline") is None)


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
