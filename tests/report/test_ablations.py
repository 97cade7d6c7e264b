"""What one setting buys, in words and pairs."""

from __future__ import annotations

from panelbench.report.data import ReportData
from panelbench.report.sections import ablations
from tests.report.conftest import SIX, Project


def test_ablations_are_titled_by_their_key(data: ReportData) -> None:
    section = ablations.build(data)
    assert section.title == "Positional encoding"
    assert "95%, with paired t intervals over seeds" in section.figures[0].caption
    assert "(n = 6)" in section.figures[0].caption
    assert "over weeks" in section.figures[0].caption


def test_an_ablation_of_several_says_which_of_all_pairs_are_real(data: ReportData) -> None:
    body, found = ablations.build(data).body, data.comparison.ablations["positional_encoding"]
    real = sum(pair.separable for pair in found.pairs)
    assert f"Among all 3, {real} of 3 pairs can be told apart" in body
    assert body.count(" | told apart |") == real
    assert body.count("| 6 |") == 3  # common seeds


def test_a_study_without_ablations_has_no_such_section(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    assert ablations.build(project.finish()) is None


def test_an_ablation_without_a_finished_variant_says_so(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    project.tree.add("other", seeds=SIX, failed=dict.fromkeys(SIX, "killed"))
    section = ablations.build(project.finish(ablations={"q": {"baseline": "rnn", "variants": ["other"]}}))
    assert "nothing to compare" in section.sentence
