from __future__ import annotations

import subprocess
from importlib import metadata
from pathlib import Path

import pytest

from panelbench.train.provenance import SOURCES, available_cores, git_revision, hash_source, versions


def make_source(folder: Path) -> Path:
    for name in SOURCES:
        path = folder / name if name.endswith(".py") else folder / name / "module.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n", "utf-8")
    return folder


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.mark.parametrize("name", ["models/module.py", "files.py", "panel/panel.py", "data/deep/new.py"])
def test_when_code_that_runs_changes_then_the_hash_does(tmp_path: Path, name: str) -> None:
    source = make_source(tmp_path)
    before = hash_source(source)
    (source / name).parent.mkdir(exist_ok=True)
    (source / name).write_text("# changed\n", "utf-8")
    assert hash_source(source) != before


def test_when_only_other_code_changes_then_the_hash_stays(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    before = hash_source(source)
    (source / "report").mkdir()
    (source / "report/page.py").write_text("# new\n", "utf-8")
    (source / "panel/rossmann.py").write_text("# new\n", "utf-8")
    (source / "models/notes.txt").write_text("no code", "utf-8")
    assert hash_source(source) == before


def test_when_text_moves_from_one_file_to_the_next_then_the_hash_changes(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    (source / "data/a.py").write_text("xy", "utf-8")
    (source / "data/b.py").write_text("", "utf-8")
    before = hash_source(source)
    (source / "data/a.py").write_text("x", "utf-8")
    (source / "data/b.py").write_text("y", "utf-8")
    assert hash_source(source) != before


def test_when_the_source_is_committed_then_its_revision_is_told_and_edits_show(tmp_path: Path) -> None:
    source = make_source(tmp_path / "src")
    git(tmp_path, "init", "-q")
    assert git_revision(source) is None
    git(tmp_path, "add", "src")
    git(tmp_path, "commit", "-q", "-m", "first")
    clean = git_revision(source)
    assert clean is not None
    assert len(clean) == 40
    (tmp_path / "params.yaml").write_text("not source", "utf-8")
    assert git_revision(source) == clean
    (source / "files.py").write_text("# edited\n", "utf-8")
    assert git_revision(source) == f"{clean}+dirty"


def test_when_git_is_absent_then_there_is_no_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_revision(make_source(tmp_path)) is None


def test_when_versions_are_asked_for_then_they_are_the_installed_ones() -> None:
    found = versions()
    assert found["torch"] == metadata.version("torch")
    assert found["scikit-learn"] == metadata.version("scikit-learn")
    assert set(found) >= {"python", "numpy", "pandas", "xgboost", "statsmodels", "panelbench"}


def test_when_cores_are_counted_then_there_is_at_least_one() -> None:
    assert available_cores() >= 1
