"""The code loads no objects, starts no shell, unpacks no archive to disk and checks every certificate."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.project import ROOT, tracked_files
from tests.security.forbidden import found

ALLOWED = {
    "src/panelbench/report/cells.py": "exec",  # of the repository's own document, reports/benchmark.qmd
}
SOURCES = [
    name for name in tracked_files() if name.startswith(("src/", "benchmarks/")) and name.endswith(".py")
]


@pytest.mark.parametrize("name", SOURCES)
def test_when_a_module_is_read_then_nothing_in_it_can_run_what_it_is_given(name: str) -> None:
    unsafe = list(found((ROOT / name).read_text("utf-8")))
    assert not [what for what in unsafe if what.partition(": ")[2] != ALLOWED.get(name)]


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from pickle import loads",
        "from joblib import dump",
        "import http.server",
        "eval(text)",
        "exec(text)",
        "torch.load(path)",
        "torch.load(path, weights_only=True)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=flag)",
        "subprocess.run(command, shell=True)",
        "subprocess.run(command, shell=flag)",
        "os.system(command)",
        "yaml.load(text)",
        "yaml.load(text, Loader=yaml.Loader)",
        "yaml.load(text, yaml.UnsafeLoader)",
        "yaml.unsafe_load(text)",
        "archive.extractall(folder)",
        "archive.extract(member, folder)",
        "frame.to_pickle(path)",
        "requests.get(url, verify=False)",
    ],
)
def test_when_a_line_could_run_what_it_is_given_then_it_is_found(line: str) -> None:
    assert list(found(f"x = 1\n{line}\n"))


@pytest.mark.parametrize(
    "line",
    [
        "yaml.load(text, Loader=_Loader)",
        "np.load(path, allow_pickle=False)",
        "subprocess.run(command, shell=False)",
        "model.eval()",
        "requests.get(url, verify=True)",
    ],
)
def test_when_a_line_is_safe_then_it_passes(line: str) -> None:
    assert not list(found(line))


def test_when_the_pipeline_is_described_then_commands_are_panelbench_and_a_checked_name() -> None:
    import yaml

    stages = yaml.safe_load(Path(ROOT / "dvc.yaml").read_text("utf-8"))["stages"]
    commands = {name: stage.get("do", stage)["cmd"] for name, stage in stages.items()}
    assert commands.pop("train") == "panelbench train ${key}"
    assert all(command == f"panelbench {name}" for name, command in commands.items())
