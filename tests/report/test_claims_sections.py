"""The sections on claims and on robustness: what they say, and when they say nothing."""

from __future__ import annotations

import pytest

from panelbench.errors import InputError
from panelbench.report.data import ReportData, load_report_data
from panelbench.report.sections import claims, robustness
from tests.report.conftest import CLAIMS, ROBUSTNESS, Project


def test_when_a_ledger_is_declared_then_the_first_paragraph_says_what_it_is_about_and_what_holds(
    data: ReportData,
) -> None:
    section = claims.build(data)
    assert section is not None
    about, counted = section.sentence.split("\n\n")
    assert about.startswith("A friend says that the linear model wins")
    assert "\\*attention\\*" in about
    assert counted.startswith("Of 4 claims that can be tested here, ")
    assert "1 is contradicted" in counted or "are contradicted" in counted


def test_when_claims_lead_then_they_are_listed_by_verdict_and_the_rest_is_folded(data: ReportData) -> None:
    body = claims.build(data).body
    assert "- **Does not hold**: The linear model wins" in body
    assert "- **Holds**: The RNN scores 50" in body
    assert body.index("- **Holds**") < body.index("- **Does not hold**") < body.index("<details>")
    assert "Positions tie" not in body[: body.index("<details>")]
    assert "Not testable here\\: 1 claim" in body
    assert "<b>" not in body


def test_when_errors_are_published_then_they_are_drawn_on_one_axis(data: ReportData) -> None:
    (figure,) = claims.build(data).figures
    assert figure.alt.startswith("Of 2 published errors, 1 reproduced")
    assert "hollow" in figure.caption


def test_when_no_claim_publishes_an_error_then_there_is_no_picture(project: Project) -> None:
    project.add_usual()
    path = project.root / "claims.yaml"
    path.write_text(CLAIMS.split("  - {id: score")[0] + "  - {id: order" + CLAIMS.split("  - {id: order")[1])
    section = claims.build(project.finish(claims=["claims.yaml"]))
    assert section.figures == ()


def test_when_protocols_are_declared_then_the_sentence_counts_what_survives(data: ReportData) -> None:
    section = robustness.build(data)
    assert section is not None
    assert section.sentence.startswith("Of 2 verdicts looked at under 4 protocols, ")
    ranks, grid = section.figures
    assert ranks.alt.startswith("First of 3 under 4 protocols: ")
    assert "Of 8 cells" in grid.alt
    assert "3 No \\<positions\\>" in grid.caption
    assert "Two seeds" in section.body


def test_when_nothing_is_declared_then_there_is_no_section(project: Project) -> None:
    project.add_usual()
    found = project.finish()
    assert claims.build(found) is None
    assert robustness.build(found) is None


def test_when_only_ranks_are_asked_for_then_there_is_no_grid(project: Project) -> None:
    project.add_usual()
    section = robustness.build(project.finish(robustness={**ROBUSTNESS, "verdicts": {}}))
    assert section.sentence == "The models were ranked under 4 protocols."
    assert len(section.figures) == 1


def test_when_the_ledger_was_not_judged_then_the_message_names_the_remedy(project: Project) -> None:
    project.add_usual()
    (project.root / "claims.yaml").write_text(CLAIMS)
    project.finish(claims=["claims.yaml"])
    (project.root / "reports" / "claims.json").write_text('{"claims": 3}')
    with pytest.raises(InputError, match="dvc repro compare"):
        claims.build(load_report_data(project.settings, project.root))
