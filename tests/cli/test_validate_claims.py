"""A malformed ledger is refused by `validate`, before an hour of training."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from panelbench.cli import main
from tests.helpers.project import ROOT

SMOKE = (ROOT / "presets" / "smoke.yaml").read_text().replace("claims: [] ", "claims: [own.yaml] ")


def validate(monkeypatch: pytest.MonkeyPatch, folder: Path) -> int:
    (folder / "params.yaml").write_text(SMOKE)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["panelbench", "validate"])
    with pytest.raises(SystemExit) as stopped:
        main.run()
    return int(stopped.value.code or 0)


def test_when_a_claim_has_a_misspelt_key_then_validate_names_it_and_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = "{id: one, claim: c, source: s, kind: order, beter: rnn, worse: lstm}"
    (tmp_path / "own.yaml").write_text(f"claims: [{claim}]")
    assert validate(monkeypatch, tmp_path) == 2
    printed = " ".join(capsys.readouterr().err.split())
    assert "own.yaml: one.beter: 'beter' is not a setting here. Did you mean 'better'?" in printed


def test_when_the_claims_are_sound_then_validate_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = "{id: one, claim: c, source: s, kind: order, better: rnn, worse: lstm}"
    (tmp_path / "own.yaml").write_text(f"claims: [{claim}]")
    assert validate(monkeypatch, tmp_path) == 0
