"""Rules about the repository itself: size of files, checks that `make test` runs, pinned versions."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from panelbench.config import load
from panelbench.models import registry as models
from panelbench.panel import registry as panels
from tests.helpers.project import ROOT, tracked_files

MOST_LINES = 250
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINS = {
    line.partition("==")[0].lower().replace("_", "-"): line.partition("==")[2]
    for line in (ROOT / "constraints.txt").read_text().splitlines()
    if line and not line.startswith("#")
}
PRESETS = sorted((ROOT / "presets").glob("*.yaml"))


def test_when_a_module_is_written_then_it_fits_one_purpose() -> None:
    code = [name for name in tracked_files() if name.endswith(".py")]
    assert len(code) > 50
    too_long = {name: lines for name in code if (lines := count_lines(name)) > MOST_LINES}
    assert not too_long


def count_lines(name: str) -> int:
    return len((ROOT / name).read_text("utf-8").splitlines())


def test_when_files_are_tracked_then_none_is_data_or_a_pickle() -> None:
    unwanted = [
        name for name in tracked_files() if Path(name).suffix in {".pkl", ".pt", ".pth", ".parquet", ".csv"}
    ]
    assert not unwanted


@pytest.mark.parametrize("tool", ["ruff check", "mypy", "lint-imports", "bandit", "pytest"])
def test_when_make_test_runs_then_it_calls_every_tool(tool: str) -> None:
    recipe = (ROOT / "Makefile").read_text().partition("\ntest:")[2].partition("\n\n")[0]
    assert re.search(rf"^\t{tool}\b", recipe, re.MULTILINE)


def test_when_ci_runs_then_it_is_make_test() -> None:
    assert re.search(r"^make test$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]["test"]
    assert workflow["steps"][-1]["run"] == "bash .ci/run"
    assert len(workflow["strategy"]["matrix"]["python"]) >= 2


def test_when_packages_are_installed_then_each_is_pinned() -> None:
    project = PYPROJECT["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    for requirement in map(Requirement, wanted):
        pin = PINS[requirement.name.lower().replace("_", "-")]
        assert requirement.specifier.contains(pin), requirement


def test_when_packages_are_pinned_then_the_lock_has_their_hashes_in_the_same_versions() -> None:
    entries = re.findall(
        r"^([\w.-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)",
        (ROOT / "requirements.lock").read_text() + "\n",
        re.MULTILINE,
    )
    locked = {plain(name): version for name, version, _ in entries}
    pinned = {plain(name): version for name, version in PINS.items() if name != "torch"}
    assert pinned.items() <= locked.items()
    assert set(locked) - {plain(name) for name in PINS} <= {"setuptools"}


def plain(name: str) -> str:
    """The name as the package index has it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_when_a_package_is_imported_then_it_is_declared_and_the_other_way_round() -> None:
    project = PYPROJECT["project"]
    runtime = {canonical(Requirement(line).name) for line in project["dependencies"]}
    dev = {canonical(Requirement(line).name) for line in project["optional-dependencies"]["dev"]}
    optional = {canonical(Requirement(line).name) for line in project["optional-dependencies"]["dask"]}
    assert distributions("src") - runtime == optional
    # A command, what Quarto runs cells with, and what DVC parses YAML with where it finds it.
    used_by_others = {"dvc", "ipykernel", "nbclient", "ruamel.yaml.clib"}
    assert runtime - distributions("src") == used_by_others
    assert optional <= dev
    assert distributions("tests", "benchmarks") - runtime - dev == set()


def canonical(name: str) -> str:
    return name.lower().replace("_", "-")


def distributions(*folders: str) -> set[str]:
    """The packages whose modules the Python files of the folders import."""
    modules: set[str] = set()
    for name in tracked_files():
        if name.endswith(".py") and name.startswith(tuple(f"{folder}/" for folder in folders)):
            for node in ast.walk(ast.parse((ROOT / name).read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    modules |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    modules.add(node.module.partition(".")[0])
    modules -= {*sys.stdlib_module_names, "panelbench", "tests", "benchmarks"}
    known = metadata.packages_distributions()
    return {canonical(found) for module in modules for found in known.get(module, [module])}


def test_when_tests_run_then_the_pinned_versions_are_installed() -> None:
    installed = {
        found.metadata["Name"].lower().replace("_", "-"): found.version.partition("+")[0]
        for found in metadata.distributions()
    }
    if installed.get("dvc") != PINS["dvc"]:
        pytest.skip("this environment was not made from constraints.txt")
    differing = {
        name: (pin, installed[name]) for name, pin in PINS.items() if installed.get(name, pin) != pin
    }
    assert not differing


def test_when_nothing_is_chosen_then_params_are_the_rossmann_preset() -> None:
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "params.yaml"], cwd=ROOT, check=False)
    if changed.returncode:
        pytest.skip("params.yaml is being edited")
    assert (ROOT / "params.yaml").read_text() == (ROOT / "presets/rossmann.yaml").read_text()


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.stem)
def test_when_a_preset_is_chosen_then_its_settings_are_valid(preset: Path) -> None:
    settings = load(preset)
    panels.resolve(settings.panel)
    assert set(models.resolve(settings)) == set(settings.experiments)
