from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from panelbench.compare.claims.ledger import load_ledger
from panelbench.config import load
from panelbench.errors import InputError
from panelbench.models import registry

GOOD: dict[str, dict[str, Any]] = {
    "value": {
        "measure": {"score": "rmse", "experiment": "rnn"},
        "published": 842,
        "tolerance": 2,
        "why": "w",
    },
    "share": {
        "measure": {"change": "a", "relative_to": "b"},
        "published": 0.29,
        "tolerance": 0.01,
        "why": "w",
    },
    "count": {"measure": {"parameters": "rnn"}, "published": 4545},
    "difference": {"of": "a", "minus": "b", "published": 9, "tolerance": 1, "why": "w"},
    "order": {"better": "a", "worse": ["b", "c"]},
    "tie": {"tie": ["a", "b"], "margin": 0.03, "why": "w"},
    "invariance": {"check": "permutation_last"},
}


def claim(like: str, **changes: Any) -> dict[str, Any]:
    full = {"id": "one", "claim": "c", "source": "s", "kind": like, **GOOD[like], **changes}
    return {key: value for key, value in full.items() if value is not None}


def read(tmp_path, *claims: dict[str, Any], name: str = "own.yaml"):
    (tmp_path / name).write_text(yaml.safe_dump({"claims": list(claims)}, sort_keys=False))
    return [entry.claim for entry in load_ledger([name], tmp_path).entries]


@pytest.mark.parametrize("kind", GOOD)
def test_when_a_claim_has_what_its_kind_needs_then_it_is_read(tmp_path, kind):
    assert read(tmp_path, claim(kind))[0].kind == kind


@pytest.mark.parametrize("kind", GOOD)
def test_when_a_claim_cannot_be_tested_then_a_reason_is_all_it_needs(tmp_path, kind):
    found = read(tmp_path, {"id": "x", "claim": "c", "source": "s", "kind": kind, "not_testable": "r"})
    assert found[0].subjects == ()


def test_when_an_order_is_stated_then_its_pairs_follow(tmp_path):
    ranking = {"better": None, "worse": None, "ranking": ["a", "b", "c"]}
    several, chain = read(tmp_path, claim("order"), claim("order", id="two", **ranking))
    assert several.pairs == (("a", "b"), ("a", "c"))
    assert chain.pairs == (("a", "b"), ("b", "c"))
    assert chain.subjects == ("a", "b", "c")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (claim("value", kind="vlaue"), "own.yaml: one.kind is 'vlaue' (text). Did you mean 'value'?"),
        (claim("value", kind=None), "one.kind is missing"),
        (claim("value", tolerence=3), "'tolerence' is not a setting here. Did you mean 'tolerance'?"),
        (claim("value", tolerance=None), "one.tolerance is missing"),
        (claim("value", tolerance=-1), "one.tolerance"),
        (claim("value", why=None), "a tolerance needs a reason"),
        (claim("value", source=None), "one.source is missing"),
        (claim("value", claim="two\nlines"), "one.claim"),
        (claim("value", id="No Spaces"), "No Spaces.id"),
        (claim("value", published="744"), "one.published"),
        (claim("value", measure={"scor": "rmse", "experiment": "a"}), "Did you mean 'score'?"),
        (claim("value", measure={"score": "rmsee", "experiment": "a"}), "one.measure.score"),
        (claim("value", measure={"score": "rmse", "experimnt": "a"}), "Did you mean 'experiment'?"),
        (claim("value", measure={"score": "rmse", "parameters": "a"}), "has 2"),
        (claim("value", measure="rnn"), "must be a group"),
        (claim("value", measure={"fact": "autocorrelation"}), "needs lag"),
        (claim("value", measure={"fact": "lead_correlation", "lead": 1}), "needs covariate"),
        (claim("value", measure={"arithmetic": "import os"}), "is not arithmetic"),
        (claim("count", published=1.5), "one.published"),
        (claim("order", ranking=["a", "b"]), "either `better` and `worse`"),
        (claim("order", worse=None), "either `better` and `worse`"),
        (claim("order", worse=["b", "a"]), "with itself"),
        (claim("tie", tie=["a", "a"]), "with itself"),
        (claim("tie", tie=["a", "b", "c"]), "one.tie"),
        (claim("tie", margin=3), "one.margin"),
        (claim("difference", why=None), "one.why is missing"),
        (claim("invariance", passing_means="true"), "one.passing_means"),
        (["not", "a", "group"], "claim 1 must be a group"),
    ],
)
def test_when_a_claim_is_wrong_then_the_message_names_file_claim_and_remedy(tmp_path, content, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read(tmp_path, content)


def test_when_an_id_is_used_twice_then_it_is_refused_across_files(tmp_path):
    read(tmp_path, claim("count"), name="a.yaml")
    read(tmp_path, claim("count"), name="b.yaml")
    with pytest.raises(InputError, match=r"b\.yaml: the id 'one' is taken already in a\.yaml"):
        load_ledger(["a.yaml", "b.yaml"], tmp_path)


@pytest.mark.parametrize("text", ["", "claims: []", "claims: 3", "- a", "claims: [{id: a}]\nother: 1"])
def test_when_the_file_holds_no_list_of_claims_then_it_is_refused(tmp_path, text):
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(InputError, match="must hold the key `claims`"):
        load_ledger(["own.yaml"], tmp_path)


def test_when_a_file_says_what_it_is_about_then_that_is_kept_on_one_line(tmp_path):
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({"about": "two\nlines", "claims": [claim("count")]}))
    assert load_ledger(["own.yaml"], tmp_path).about == ("two lines",)
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({"about": 3, "claims": [claim("count")]}))
    with pytest.raises(InputError, match="about must be a text"):
        load_ledger(["own.yaml"], tmp_path)


def test_when_a_file_is_absent_or_leads_outside_then_it_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"claims names 'absent\.yaml'"):
        load_ledger(["absent.yaml"], tmp_path)
    outside = tmp_path / "outside.yaml"
    outside.write_text("claims: []")
    inside = tmp_path / "repository"
    inside.mkdir()
    (inside / "link.yaml").symlink_to(outside)
    with pytest.raises(InputError, match="leads out of the repository"):
        load_ledger(["link.yaml"], inside)


@pytest.mark.parametrize(
    ("claims", "params"), [("lecture.yaml", "presets/lecture.yaml"), ("example.yaml", "params.yaml")]
)
def test_when_a_ledger_is_delivered_then_it_fits_its_settings(root, claims, params):
    experiments = registry.resolve(load(root / params))
    entries = load_ledger([f"ledgers/{claims}"], root).entries
    named = {name for entry in entries for name in entry.claim.subjects}
    assert named <= set(experiments)
    for entry in entries:
        seeds = getattr(getattr(entry.claim, "measure", entry.claim), "seeds", None)
        for name in entry.claim.subjects if seeds else ():
            own = experiments[name].seeds or load(root / params).seeds
            assert set(seeds) <= set(own), f"{entry.claim.id}: {name} does not run the published seeds"


def test_when_the_lecture_is_judged_then_its_ledger_is_large_and_of_every_kind(root):
    entries = load_ledger(["ledgers/lecture.yaml"], root).entries
    testable = [entry.claim for entry in entries if not hasattr(entry.claim, "not_testable")]
    assert len(testable) >= 30
    assert {claim.kind for claim in testable} == set(GOOD)
