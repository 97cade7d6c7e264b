"""One clone for all tests of a module, brought back to the same settings before each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.project import ROOT, SMOKE, Project


@pytest.fixture(scope="session")
def finished_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A clone in which the smoke preset ran from beginning to end."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout, and DVC's experiments need one")
    project = Project(tmp_path_factory.mktemp("clone") / "panelbench", SMOKE)
    project.first_run, project.first_output = project.repro()
    project.commit()
    return project


@pytest.fixture
def project(finished_project: Project) -> Iterator[Project]:
    """The finished clone with the smoke preset's settings and results."""
    project = finished_project
    yield project
    if project.params.read_text() != SMOKE:
        project.params.write_text(SMOKE)
        project.repro()


@pytest.fixture
def runs(project: Project) -> Path:
    """The folder of all experiments' results."""
    return project.folder / "data" / "runs"
