"""The pipeline opens no port and asks nobody, in its own process and in those it starts."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bad_inputs.case import call
from tests.helpers.project import ROOT, SMOKE
from tests.helpers.watching import watched

HOOKED = Path(__file__).with_name("hooked")
EXPERIMENTS: dict[str, Any] = {"naive": {"model": "last_value"}, "rnn": {"model": "rnn", "hidden": 4}}
STAGES = ("validate", "fetch", "prepare", "audit", "train naive", "train rnn", "compare", "report", "check")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run stages in, whose Python children note every port and connection."""
    content = yaml.safe_load(SMOKE) | {"experiments": EXPERIMENTS, "ablations": {}}
    content["report"]["renderer"] = "builtin"
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    (tmp_path / "reports").mkdir()
    for name in ("benchmark.qmd", "theme.css"):
        (tmp_path / "reports" / name).write_bytes((ROOT / "reports" / name).read_bytes())
    (tmp_path / "noted").touch()
    monkeypatch.setenv("NOTED_EVENTS", str(tmp_path / "noted"))
    monkeypatch.setenv("PYTHONPATH", f"{HOOKED}:{ROOT / 'src'}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.pipeline
def test_when_every_stage_runs_then_no_port_is_opened_and_nobody_is_asked(project: Path) -> None:
    with watched() as seen:
        for stage in STAGES:
            code, error = call(*stage.split())
            assert code == 0, error
    assert (project / "reports" / "benchmark.html").exists()
    assert (seen.ports, seen.connections) == ([], [])
    assert (project / "noted").read_text() == ""
    assert any("python" in str(command) for command in seen.processes), "training runs in processes"


def test_when_a_process_opens_a_port_then_it_is_noted(project: Path) -> None:
    code = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()"
    subprocess.run([sys.executable, "-P", "-c", code], check=True, cwd=project)
    assert "socket.bind" in (project / "noted").read_text()
    with watched() as seen, socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
    assert seen.ports
