"""What a comparison says of its own basis and limits."""

from __future__ import annotations

import json

import pytest

from panelbench.compare import facts
from panelbench.compare.runs import load_results
from panelbench.compare.schema import HeldOut
from panelbench.config.settings import CompareSettings


def notes(tree, n_periods: int = 26, n_scaled: int = 4) -> list[str]:
    results = load_results(tree.settings(), tree.root)
    tested = HeldOut(
        title="", source="", target_name="", unit="", frequency="W-MON", n_series=4, n_periods=n_periods,
        n_rows=4 * n_periods, horizon=1, first="", last="", panel_sha256="", n_scaled_series=n_scaled,
    )  # fmt: skip
    outcomes = list(results.outcomes.values())
    origin = facts.provenance(outcomes, results.panel.info.sha256)
    return facts.notes(outcomes, tested, origin, CompareSettings().block_length, [])


def test_when_all_is_well_then_there_is_nothing_to_note(runs_tree):
    runs_tree.add("rnn")
    runs_tree.add("naive", deterministic=True)
    assert notes(runs_tree) == []


def test_when_seeds_failed_then_they_come_first(runs_tree):
    runs_tree.add("rnn", failed={1: "x", 2: "y"})
    found = notes(runs_tree)
    assert found[0] == "rnn: 2 of 3 seeds failed (1, 2); figures rest on the 1 that finished."
    assert any("One finished seed" in note and "rnn" in note for note in found)


def test_when_only_the_git_revision_differs_then_it_is_recorded_and_not_noted(runs_tree):
    runs_tree.add("rnn")
    runs_tree.add("lstm", record={"git_revision": "def5678"})
    assert notes(runs_tree) == []
    results = load_results(runs_tree.settings(), runs_tree.root)
    assert facts.provenance(results.outcomes.values(), "x").git_revisions == ("abc1234", "def5678")


@pytest.mark.parametrize("elsewhere", [{"device": "cuda"}, {"processor": "another one"}])
def test_when_an_experiments_seeds_come_from_different_hardware_then_it_is_noted(runs_tree, elsewhere):
    runs_tree.add("rnn")
    runs_tree.add("lstm", record=elsewhere)
    assert notes(runs_tree) == []  # two experiments may: each is compared over its own seeds

    path = runs_tree.run_folder("rnn") / "runs.json"
    content = json.loads(path.read_text())
    content["runs"][1].update(elsewhere)
    path.write_text(json.dumps(content))
    found = notes(runs_tree)
    assert len(found) == 1
    assert "rnn: its seeds were computed on different hardware" in found[0]
    assert next(iter(elsewhere.values())) in found[0]


def test_when_a_library_is_recorded_by_some_runs_only_then_its_versions_are_those(runs_tree):
    runs_tree.add("rnn")
    runs_tree.add("xgb", record={"versions": {"torch": "2.13.0", "xgboost": "3.2.0"}})
    results = load_results(runs_tree.settings(), runs_tree.root)
    versions = facts.provenance(results.outcomes.values(), "x").versions
    assert versions["xgboost"] == ("3.2.0",)
    assert versions["torch"] == ("2.13.0",)


def test_when_the_test_block_is_short_or_series_are_constant_then_it_is_noted(runs_tree):
    runs_tree.add("rnn")
    found = notes(runs_tree, n_periods=5, n_scaled=3)
    assert any("5 target periods" in note for note in found)
    assert any("1 of 4 series" in note for note in found)


def test_when_the_family_is_known_then_the_seeds_it_takes_are_stated():
    method = facts.method(CompareSettings(), n_pairs=55, n_reference=10)
    assert (method.seeds_to_pass, method.seeds_to_pass_reference) == (12, 9)
    assert method.confidence == 0.95
    assert (method.n_reference, method.reference_family) == (10, "the comparisons with the reference")


def test_when_the_data_chose_the_reference_then_the_seeds_are_those_for_all_pairs():
    method = facts.method(CompareSettings(), n_pairs=55, n_reference=10, chosen_by_data=True)
    assert (method.seeds_to_pass_reference, method.n_reference) == (method.seeds_to_pass, 55)
    assert method.reference_family == "all pairs"
