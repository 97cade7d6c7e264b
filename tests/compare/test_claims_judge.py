"""From a tree of stored runs and a file of claims to reports/claims.json."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import yaml

from panelbench.compare.claims.evidence import read_checks
from panelbench.compare.claims.judge import judge
from panelbench.compare.claims.schema import load_claims
from panelbench.compare.compare import compare, score_all
from panelbench.compare.runs import load_results
from panelbench.errors import InputError
from panelbench.files import write_json


@pytest.fixture
def tree(runs_tree):
    """`good` far better than `bad`; `flat` and `flat_too` deterministic; `broken` failed."""
    runs_tree.add("good", noise=5.0, seed_noise=1.0, record={"notes": {"alpha": 0.5}}, n_parameters=100)
    runs_tree.add("bad", noise=60.0, seed_noise=1.0, n_parameters=250)
    runs_tree.add("flat", noise=30.0, deterministic=True, model="lasso", n_parameters=None)
    runs_tree.add("flat_too", noise=90.0, deterministic=True, model="ols")
    runs_tree.add("broken", failed={0: "Diverged", 1: "Diverged", 2: "Diverged"})
    return runs_tree


def judged(tree, *claims: dict[str, Any]):
    named = [{"id": f"c{place}", "claim": "c", "source": "s", **one} for place, one in enumerate(claims)]
    (tree.root / "own.yaml").write_text(yaml.safe_dump({"claims": named}))
    settings = tree.settings(claims=["own.yaml"])
    results = load_results(settings, tree.root)
    found = judge(settings, results, score_all(results), tree.root)
    assert load_claims(tree.reports / "claims.json").counts == found.counts
    return found.claims


def value(measure: dict[str, Any], published: float, tolerance: float = 1e-6, **more: Any) -> dict[str, Any]:
    figures = {"measure": measure, "published": published, "tolerance": tolerance}
    return {"kind": "value", "why": "w", **figures, **more}


def test_when_orders_are_claimed_then_they_are_judged_by_the_paired_interval(tree):
    right, wrong, by_periods = judged(
        tree,
        {"kind": "order", "better": "good", "worse": ["bad", "flat"]},
        {"kind": "order", "better": "bad", "worse": "good"},
        {"kind": "order", "better": "flat", "worse": "flat_too"},
    )
    assert right.verdict == "reproduced"
    assert right.n == 3
    assert right.high < 0
    assert wrong.verdict == "contradicted"
    assert by_periods.verdict == "reproduced"
    assert "target periods" in by_periods.sentence


def test_when_an_experiment_is_absent_or_failed_then_the_claim_is_not_testable_and_says_why(tree):
    absent, failed, score, ratio = judged(
        tree,
        {"kind": "order", "better": "god", "worse": "bad"},
        {"kind": "tie", "tie": ["good", "broken"], "margin": 0.1, "why": "w"},
        value({"score": "rmse", "experiment": "broken"}, 1),
        {"kind": "count", "measure": {"parameters": "flat"}, "published": 3},
    )
    assert {one.verdict for one in (absent, failed, score, ratio)} == {"not_testable"}
    assert "Did you mean 'good'" in absent.sentence
    assert "no seed of 'broken' finished" in failed.sentence
    assert "no meaningful count" in ratio.sentence


def test_when_figures_come_from_scores_then_seeds_are_like_for_like_where_they_ran(tree):
    settings = tree.settings()
    results = load_results(settings, tree.root)
    scores = {one.name: one for one in score_all(results)}
    first = float(scores["good"].rmse[1])
    all_of_it = float(scores["good"].rmse.mean())
    change = float((scores["bad"].rmse / scores["good"].rmse - 1).mean())
    one, missing, share, spread, gap = judged(
        tree,
        value({"score": "rmse", "experiment": "good", "seeds": [1]}, first),
        value({"score": "rmse", "experiment": "good", "seeds": [1, 99]}, all_of_it),
        {**value({"change": "bad", "relative_to": "good"}, change), "kind": "share"},
        value({"range": "rmse", "experiment": "good"}, float(np.ptp(scores["good"].rmse))),
        {
            "kind": "difference", "of": "bad", "minus": "good", "seeds": [2], "tolerance": 1e-6, "why": "w",
            "published": float(scores["bad"].rmse[2] - scores["good"].rmse[2]),
        },
    )  # fmt: skip
    for found, n in ((one, 1), (missing, 3), (share, 3), (spread, 3), (gap, 1)):
        assert (found.verdict, found.n) == ("reproduced", n), found.sentence


def test_when_counts_notes_facts_and_arithmetic_are_claimed_then_they_are_measured(tree):
    found = judged(
        tree,
        value({"parameters": "bad", "over": "good"}, 2.5),
        {"kind": "count", "measure": {"rows": "train", "experiment": "good"}, "published": 100},
        value({"note": "alpha", "experiment": "good"}, 0.5),
        {"kind": "count", "measure": {"fact": "series"}, "published": 4},
        {"kind": "count", "measure": {"fact": "steps"}, "published": 60},
        value({"fact": "mean_of_test_block"}, float(tree.y[:, -12:].mean())),
        value({"fact": "lead_correlation", "covariate": "promo_days", "lead": 1}, 0, 1),
        value({"arithmetic": "0.7 ** 26"}, 9.39e-5, 1e-7),
    )
    assert [one.verdict for one in found] == ["reproduced"] * 8, [one.sentence for one in found]


def test_when_a_note_or_covariate_is_unknown_then_the_known_ones_are_named(tree):
    note, covariate = judged(
        tree,
        value({"note": "alfa", "experiment": "good"}, 0.5),
        value({"fact": "lead_correlation", "covariate": "snap", "lead": 1}, 0),
    )
    assert "(alpha)" in note.sentence
    assert "promo_days" in covariate.sentence


def test_when_the_audit_tested_an_invariance_then_its_outcome_decides(tree):
    claim = {"kind": "invariance", "check": "permutation_last", "passing_means": "contradicted"}
    assert judged(tree, claim)[0].verdict == "not_testable"
    check = {"id": "permutation_last", "passed": True, "detail": "The last week moved the forecast.", "n": 9}
    write_json(tree.reports / "audit.json", {"passed": True, "checks": [check]})
    found = judged(tree, claim)[0]
    assert found.verdict == "contradicted"
    assert "The last week moved the forecast" in found.sentence


def test_when_nothing_is_claimed_then_an_empty_ledger_is_written(tree):
    compare(tree.settings(), tree.root)
    ledger = load_claims(tree.reports / "claims.json")
    assert ledger.claims == ()
    assert set(ledger.counts.values()) == {0}


def test_when_a_claim_is_malformed_then_compare_writes_nothing(tree):
    (tree.root / "own.yaml").write_text("claims: [{id: a}]")
    with pytest.raises(InputError, match=r"own\.yaml: a\.kind is missing"):
        compare(tree.settings(claims=["own.yaml"]), tree.root)
    assert not tree.reports.exists()


def test_when_judged_twice_then_the_bytes_are_the_same(tree):
    claim = {"kind": "order", "better": "flat", "worse": "flat_too"}
    judged(tree, claim)
    first = (tree.reports / "claims.json").read_bytes()
    judged(tree, claim)
    assert (tree.reports / "claims.json").read_bytes() == first


@pytest.mark.parametrize("content", ["3", "{}", '{"checks": 3}', '{"checks": [{"passed": true}]}'])
def test_when_the_audit_s_file_is_damaged_then_it_is_named(tmp_path, content):
    path = tmp_path / "audit.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"audit\.json .*`dvc repro audit`"):
        read_checks(path)
