"""The ledger in the terminal says what reports/claims.json says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from panelbench.cli.claims import table
from panelbench.compare.claims.schema import JudgedClaim, JudgedLedger
from panelbench.errors import InputError
from panelbench.files import write_json


def judged(**fields) -> JudgedClaim:
    usual = {
        "id": "a",
        "file": "ledgers/a.yaml",
        "claim": "The RNN scores 842.",
        "source": "lecture",
        "kind": "value",
        "measure": "score",
        "metric": "rmse",
        "subjects": ("rnn",),
        "published": 842,
        "verdict": "contradicted",
        "measured": 876.04,
        "low": 751.0,
        "high": 1001.0,
        "n": 3,
        "sentence": "It scores 876.",
    }
    return JudgedClaim(**{**usual, **fields})


def shown(root: Path, *claims: JudgedClaim, metric: str | None = None) -> list[str]:
    counts = {"reproduced": 0, "within_spread": 0, "contradicted": len(claims), "not_testable": 0}
    ledger = JudgedLedger(confidence=0.95, unit="units", files=(), about=(), counts=counts, claims=claims)
    write_json(root / "reports/claims.json", ledger.model_dump(mode="json"))
    return table(root, metric).splitlines()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_when_claims_were_judged_then_published_and_measured_stand_side_by_side(tmp_path):
    lines = shown(tmp_path, judged())
    assert cells(lines[2]) == ["The RNN scores 842.", "842", "876", "751 to 1,001", "3", "contradicted"]
    assert lines[-1] == (
        "All 1 claims: 0 reproduced, 0 within run-to-run spread, 1 contradicted, 0 not testable here."
    )


def test_when_a_claim_is_a_share_then_it_is_shown_in_percent(tmp_path):
    lines = shown(tmp_path, judged(kind="share", published=0.91, measured=0.9104, low=None, high=None))
    assert cells(lines[2])[1:4] == ["91.0%", "91.0%", ""]


def test_when_one_metric_is_asked_for_then_other_kinds_are_left_out(tmp_path):
    lines = shown(tmp_path, judged(), judged(kind="order", published=None), metric="rmse")
    assert len(lines) == 5
    assert lines[-1].startswith("All 2 claims")


def test_when_nothing_was_judged_then_the_command_that_does_it_is_named(tmp_path):
    with pytest.raises(InputError, match="dvc repro"):
        table(tmp_path)


def test_when_no_claims_are_named_then_it_says_how_to_name_some(tmp_path):
    with pytest.raises(InputError, match=r"ledgers/example\.yaml"):
        shown(tmp_path)


def test_when_a_column_is_narrow_then_its_rule_is_still_one_of_markdown(tmp_path):
    rules = cells(shown(tmp_path, judged(n=3))[1])
    assert all(re.fullmatch("-+:?", rule) for rule in rules)
