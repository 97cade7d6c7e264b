"""The command line as a user meets it: help, exit codes, one paragraph an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from panelbench import __version__
from panelbench.cli import main
from tests.helpers.project import ROOT

SMOKE = (ROOT / "presets" / "smoke.yaml").read_text()


def panelbench(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "panelbench", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "params.yaml").write_text(SMOKE)
    return tmp_path


def invoke(monkeypatch: pytest.MonkeyPatch, folder: Path, *arguments: str) -> int:
    """Run a command in this process; return its exit code."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["panelbench", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main.run()
    return int(stopped.value.code or 0)


def test_when_help_is_asked_then_nothing_heavy_is_imported(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['panelbench', '--help']\n"
        "from panelbench.cli import main\n"
        "try: main.run()\n"
        "except SystemExit as stopped: assert not stopped.code\n"
        "heavy = {'torch', 'pandas', 'numpy', 'sklearn', 'pydantic', 'rich'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "train" in done.stdout
    assert "HEAVY []" in done.stdout


def test_when_the_version_is_asked_then_it_is_the_packages(tmp_path: Path) -> None:
    assert panelbench(tmp_path, "--version").stdout == f"panelbench {__version__}\n"


def test_when_params_are_good_then_validate_leaves_a_constant_file(folder: Path) -> None:
    first = panelbench(folder, "validate")
    before = (folder / main.VALIDATED).read_bytes()
    content = yaml.safe_load(SMOKE)
    content["experiments"] = {"rnn": {"model": "rnn"}}
    content["ablations"] = {}
    (folder / "params.yaml").write_text(yaml.safe_dump(content))
    second = panelbench(folder, "validate")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert "1 experiment." in second.stdout
    assert (folder / main.VALIDATED).read_bytes() == before


def test_when_params_are_bad_then_it_is_one_paragraph_and_code_2(folder: Path) -> None:
    (folder / "params.yaml").write_text(SMOKE.replace("hidden: 8", "hiden: 8", 1))
    done = panelbench(folder, "validate")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "experiments.rnn" in done.stderr
    assert "Did you mean 'hidden'?" in done.stderr
    assert not (folder / main.VALIDATED).exists()


def test_when_debug_is_given_anywhere_then_the_traceback_shows(folder: Path) -> None:
    (folder / "params.yaml").write_text("seeds: 3\n")
    assert "Traceback" not in panelbench(folder, "validate").stderr
    for arguments in (["--debug", "validate"], ["validate", "--debug"]):
        done = panelbench(folder, *arguments)
        assert "Traceback" in done.stderr
        assert done.returncode == 2


def test_when_there_are_no_params_then_the_missing_file_is_named(tmp_path: Path) -> None:
    done = panelbench(tmp_path, "fetch")
    assert done.returncode == 2
    assert "params.yaml" in done.stderr


def test_when_a_stage_comes_too_early_then_the_remedy_is_named(folder: Path) -> None:
    for stage in (["prepare"], ["audit"], ["train", "lasso"], ["compare"], ["check"], ["leaderboard"]):
        done = panelbench(folder, *stage)
        assert done.returncode == 2, stage
        assert "dvc repro" in done.stderr, stage


def test_when_an_experiment_is_unknown_then_the_nearest_is_named(folder: Path) -> None:
    done = panelbench(folder, "train", "lstmm")
    assert done.returncode == 2
    assert "Did you mean 'lstm'?" in done.stderr


def test_when_the_panel_is_made_then_its_size_is_told(folder: Path) -> None:
    for stage in ("validate", "fetch", "prepare"):
        done = panelbench(folder, stage)
        assert done.returncode == 0, done.stderr
    assert "6 series x 120 periods" in done.stdout


def test_when_the_program_itself_is_wrong_then_it_says_so_and_ends_with_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(main, "_settings", broken)
    assert invoke(monkeypatch, folder, "fetch") == 1
    told = capsys.readouterr().err
    assert "a fault in panelbench itself" in told
    assert "ZeroDivisionError: division by zero" in told
    assert " in test_main.py, line " in told
    assert "panelbench --debug fetch" in told
    assert "Traceback" not in told


def test_when_interrupted_then_it_ends_with_130(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "_settings", interrupted)
    assert invoke(monkeypatch, folder, "compare") == 130
    assert "dvc repro" in capsys.readouterr().err


def test_when_the_folder_cannot_be_written_then_it_is_a_failure(folder: Path) -> None:
    (folder / "data").write_text("a file where a folder should be")
    done = panelbench(folder, "validate")
    assert done.returncode == 1
    assert "data" in done.stderr
    assert "fault in panelbench" not in done.stderr
