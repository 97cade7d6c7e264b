"""Names from params.yaml reach neither a shell nor a folder that is not theirs, through DVC too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from panelbench.config import load
from panelbench.errors import InputError
from tests.helpers.project import SMOKE, Project, tracked_files

HOSTILE = (
    "a; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "../../docs",
    "../../../outside",
    "a' || touch pwned '",
)
QUIET = {"model": "last_value"}


def _settings(**experiments: Any) -> str:
    content = yaml.safe_load(SMOKE) | {"experiments": experiments, "ablations": {}}
    return yaml.safe_dump(content, sort_keys=False)


@pytest.mark.pipeline
def test_when_names_are_commands_and_paths_then_dvc_repro_stops_before_any_of_them(tmp_path: Path) -> None:
    project = Project(tmp_path / "clone", _settings(**{name: dict(QUIET) for name in HOSTILE}))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "mine.txt").write_text("precious")
    before = {name: (project.folder / name).read_bytes() for name in tracked_files() if name != "params.yaml"}
    for options in ((), ("--keep-going",), ("--force",)):
        stages, output = project.repro(*options, code=255)
        assert stages == ["validate"], output
        assert "1 to 60 small letters" in output
    assert not list(tmp_path.rglob("pwned*"))
    assert (tmp_path / "outside" / "mine.txt").read_text() == "precious"
    assert {name: (project.folder / name).read_bytes() for name in before} == before
    # DVC then clears away what it takes for outputs, before it finds that nothing can be run.
    project.repro("--ignore-errors", code=0)
    assert not list(tmp_path.rglob("pwned*"))


@given(st.text(st.characters(codec="utf-8"), max_size=70))
def test_when_a_name_is_accepted_then_it_is_one_plain_word(tmp_path_factory: Any, name: str) -> None:
    path = tmp_path_factory.mktemp("names") / "params.yaml"
    path.write_text(_settings(**{name: QUIET}), "utf-8")
    try:
        accepted = load(path).experiments
    except InputError:
        return
    (one,) = accepted
    assert one.isascii()
    assert one.islower()
    assert one.replace("_", "").isalnum()
    assert (path.parent / one).resolve().parent == path.parent
