"""dvc.yaml says the whole truth: every module a stage can import is one of its dependencies."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import grimp
import pytest
import yaml

from panelbench.config.settings import Settings
from tests.helpers.project import ROOT

PIPELINE = yaml.safe_load((ROOT / "dvc.yaml").read_text())
STAGES: dict[str, dict[str, Any]] = {
    name: stage.get("do", stage) for name, stage in PIPELINE["stages"].items()
}
ENTRY = {
    "validate": (
        "panelbench.config.load",
        "panelbench.models.registry",
        "panelbench.panel.registry",
        "panelbench.compare.claims.ledger",
        "panelbench.cli.declared",
    ),
    "fetch": ("panelbench.panel.fetch",),
    "prepare": ("panelbench.panel.prepare",),
    "audit": ("panelbench.audit.run",),
    "train": ("panelbench.train.run", "panelbench.train.worker"),
    "compare": ("panelbench.compare.compare",),
    "report": ("panelbench.report.render",),
    "check": ("panelbench.cli.check",),
}
NO_RESULT_DEPENDS_ON = {"panelbench", "panelbench.errors", "panelbench.panel", "panelbench.cli"}
"""Modules that hold messages or re-export names only."""


@cache
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("panelbench", cache_dir=None, exclude_type_checking_imports=True)


def reached(stage: str) -> set[str]:
    """Every module that the stage's entry modules import, directly or not, lazily or not."""
    graph = imports()
    entries = ENTRY[stage]
    return set(entries).union(*(graph.find_upstream_modules(entry) for entry in entries))


def source_file(module: str) -> str:
    path = Path("src", *module.split("."))
    return str(path / "__init__.py") if (ROOT / path).is_dir() else f"{path}.py"


def covered(path: str, dependencies: list[str]) -> bool:
    return any(Path(path).is_relative_to(dependency) for dependency in dependencies)


def test_when_stages_are_listed_then_each_is_one_command_of_that_name() -> None:
    for name, stage in STAGES.items():
        assert re.fullmatch(rf"panelbench {name}( \$\{{key\}})?", stage["cmd"])


@pytest.mark.parametrize("stage", sorted(STAGES))
def test_when_a_module_can_change_a_result_then_it_is_a_dependency(stage: str) -> None:
    dependencies = STAGES[stage]["deps"]
    missing = [
        module
        for module in sorted(reached(stage) - NO_RESULT_DEPENDS_ON)
        if not covered(source_file(module), dependencies)
    ]
    assert not missing


def test_when_a_model_or_source_is_added_then_it_is_a_dependency_of_what_runs_it() -> None:
    """The registries import them by name, which the graph of imports does not show."""
    for stage, package in (
        ("train", "models"),
        ("audit", "models"),
        ("fetch", "panel"),
        ("prepare", "panel"),
    ):
        assert f"src/panelbench/{package}" in STAGES[stage]["deps"], stage


def test_when_a_package_is_not_used_by_a_stage_then_it_is_no_dependency() -> None:
    for stage, stage_definition in STAGES.items():
        used = {source_file(module) for module in reached(stage)}
        for dependency in stage_definition["deps"]:
            if dependency.startswith("src/"):
                assert any(Path(path).is_relative_to(dependency) for path in used), (stage, dependency)


def test_when_dependencies_are_listed_then_they_exist_or_are_made_by_an_earlier_stage() -> None:
    made: set[str] = set()
    for stage in STAGES.values():
        for dependency in stage["deps"]:
            earlier = any(
                Path(output).is_relative_to(dependency) or Path(dependency).is_relative_to(output)
                for output in made
            )
            assert earlier or (ROOT / dependency).exists(), dependency
        made |= {output if isinstance(output, str) else next(iter(output)) for output in outputs(stage)}


def test_when_settings_are_listed_then_params_yaml_can_hold_them() -> None:
    for stage in STAGES.values():
        for key in stage.get("params", []):
            assert key.split(".")[0] in Settings.model_fields, key


def test_when_outputs_are_made_then_git_ignores_them() -> None:
    names = [
        (output if isinstance(output, str) else next(iter(output))).replace("${key}", "rnn")
        for stage in STAGES.values()
        for output in outputs(stage)
    ]
    done = subprocess.run(
        ["git", "check-ignore", *names], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == names


def test_when_dvc_runs_then_it_calls_nobody() -> None:
    config = (ROOT / ".dvc/config").read_text()
    assert "analytics = false" in config
    assert "check_update = false" in config


def outputs(stage: dict[str, Any]) -> list[Any]:
    return [*stage.get("outs", []), *stage.get("metrics", [])]
