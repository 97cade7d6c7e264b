from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from panelbench.cli import train as module
from panelbench.cli.declared import DECLARED, write_declared
from panelbench.cli.train import train
from panelbench.config import Settings
from panelbench.errors import InputError, RunFailure
from panelbench.models import registry
from panelbench.train.run import train_all
from tests.train.conftest import make_project, make_settings


@pytest.mark.parametrize(("experiment", "every"), [(None, False), ("naive", True)], ids=["neither", "both"])
def test_when_the_command_is_ambiguous_then_it_says_what_it_takes(
    tmp_path: Path, experiment: str | None, every: bool
) -> None:
    with pytest.raises(InputError, match="the name of one experiment, or --all"):
        train(experiment, every, make_settings(), tmp_path)


def test_when_all_are_trained_then_the_command_says_what_was_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make_project(tmp_path)
    naive = {"naive": {"model": "seasonal_naive", "season": 4}}
    train_all(make_settings(experiments=naive), project, Console(file=io.StringIO()))
    train(None, True, make_settings(experiments=naive | {"last": {"model": "last_value"}}), project)

    assert capsys.readouterr().out.endswith(
        "Seeds trained: 1, in the store before: 1, failed: 0. `dvc repro` collects them.\n"
    )


def test_when_seeds_fail_then_the_command_says_that_they_are_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def finished(ok: bool, from_store: bool) -> SimpleNamespace:
        return SimpleNamespace(record=SimpleNamespace(ok=ok, from_store=from_store))

    done = [finished(False, False), finished(True, False), finished(True, False), finished(True, True)]
    monkeypatch.setattr(module, "train_all", lambda settings, root: done)
    train(None, True, make_settings(), tmp_path)

    said = capsys.readouterr().out
    assert said.startswith("Seeds trained: 2, in the store before: 1, failed: 1. ")
    assert said.endswith("collects them and tries the failed again.\n")


def test_when_the_audit_found_a_leak_then_nothing_is_trained(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    outcome = project / "reports" / "audit.json"
    outcome.parent.mkdir(exist_ok=True)
    outcome.write_text(json.dumps({"passed": False, "checks": []}))

    with pytest.raises(RunFailure, match=r"leak audit failed when it last ran .*dvc repro audit"):
        train(None, True, make_settings(), project)
    assert not (project / "data" / "store").exists()


def test_when_params_yaml_was_edited_after_validate_then_dvc_gets_no_result_for_other_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def validate(settings: Settings) -> None:
        write_declared(settings, registry.resolve(settings), tmp_path / DECLARED)

    before, after = (make_settings(defaults={"lookback": lookback}) for lookback in (8, 9))
    trained: list[Settings] = []
    monkeypatch.setattr(module, "train_one", lambda name, settings, root: trained.append(settings))
    validate(before)
    train("rnn", False, before, tmp_path)
    with pytest.raises(InputError, match=r"experiments\.rnn: params\.yaml was edited"):
        train("rnn", False, after, tmp_path)
    assert trained == [before]

    monkeypatch.setattr(module, "train_one", lambda name, settings, root: validate(after))
    with pytest.raises(InputError, match="Run `panelbench validate`"):
        train("rnn", False, before, tmp_path)
