"""The sections on claims and on robustness: what they say, and when they say nothing."""

from __future__ import annotations

import pytest

from panelbench.compare.claims.schema import FILE, JudgedClaim, load_claims
from panelbench.compare.robustness_schema import load_robustness
from panelbench.errors import InputError
from panelbench.report.data import ReportData
from panelbench.report.load import load_report_data
from panelbench.report.sections import claims, claims_figure, first, robustness, robustness_figures
from tests.report.conftest import CLAIMS, ROBUSTNESS, Project


def test_when_a_ledger_is_declared_then_the_first_paragraph_says_what_it_is_about_and_what_holds(
    data: ReportData,
) -> None:
    section = first.build(data)
    assert section.lead.startswith("A friend says that the linear model wins")
    assert "\\*attention\\*" in section.lead
    assert section.sentence.startswith("Of 5 claims listed in the ledger (`ledgers/friend.yaml`), 4 can be")
    assert "1 is contradicted" in section.sentence or "are contradicted" in section.sentence
    paragraph = section.to_markdown().split("\n\n")[2]
    assert paragraph == f"{section.lead} **{section.sentence}**"
    assert "**Which model is best here?**" in section.body
    assert "**And under another protocol?** Of 2 verdicts" in section.body
    assert claims.build(data).sentence == section.sentence


def test_when_claims_lead_then_they_are_listed_by_verdict_and_the_rest_is_folded(data: ReportData) -> None:
    told = first.build(data).body
    assert "- [Does not hold]{.fails} The linear model wins" in told
    assert "- [Holds]{.holds} The RNN scores 50" in told
    assert told.index("[Holds]") < told.index("[Does not hold]") < told.index("{.leaderboard}")
    assert "Positions tie" not in told
    body = claims.build(data).body
    assert "Positions tie" in body
    assert "Not testable here\\: 1 claim" in body
    assert "<b>" not in told + body


def test_when_errors_are_published_then_they_are_drawn_on_one_axis(data: ReportData) -> None:
    (figure,) = claims.build(data).figures
    assert figure.alt.startswith("Of 2 published errors, 1 reproduced")
    assert "hollow" in figure.caption


def test_when_squared_errors_are_published_then_they_have_an_axis_in_their_own_unit(data: ReportData) -> None:
    ledger = load_claims(data.root / "reports" / FILE)
    squared = [one.model_copy(update={"metric": "mse"}) for one in ledger.claims if one.id == "score"]
    both = ledger.model_copy(update={"claims": (*ledger.claims, *squared)})
    (figure,) = claims_figure.build(data, both)
    assert figure.alt.startswith("Of 3 published errors")
    for label in ("MSE (EUR²)", "RMSE (EUR)", "Difference in RMSE (EUR)"):
        assert f"{label}</text>" in figure.images["wide"]


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
    assert grid.alt.startswith("Of 8 verdicts by protocol with runs of their own")
    assert "(3) No \\<positions\\>" in grid.caption
    assert "Two seeds" in section.body


def test_when_nothing_is_declared_then_there_is_no_section(project: Project) -> None:
    project.add_usual()
    found = project.finish()
    assert claims.build(found) is None
    assert robustness.build(found) is None


def test_when_a_protocol_changes_neither_model_then_its_cell_is_a_repeat_and_not_counted(
    project: Project,
) -> None:
    project.add_usual()
    protocols = {
        "base": ROBUSTNESS["protocols"]["base"],
        "other": {"title": "No positions", "experiments": {"transformer": "no_positions"}},
        "scaled": {"title": "Scaled", "metric": "rmsse"},
    }
    declared = project.finish(robustness={**ROBUSTNESS, "protocols": protocols})
    found = load_robustness(declared.root / "reports" / "robustness.json")
    assert robustness_figures.repeats(found, "naive") == {"other"}  # the RNN and the LASSO stay as they are
    assert robustness_figures.repeats(found, "rnn_wins") == set()
    section = robustness.build(declared)
    row = next(line for line in section.body.splitlines() if line.startswith("| The RNN \\& LASSO tie"))
    assert "of\N{NO-BREAK SPACE}2 |" in row
    assert "(same runs)" in section.body
    assert "A small mark repeats" in section.figures[1].caption


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


def test_a_leading_claim_that_rests_on_a_leaky_split_is_marked() -> None:
    one = JudgedClaim(
        id="a", file="f", claim="It is 3.", source="s", kind="value", measure="score", subjects=("leak",),
        verdict="contradicted", sentence="Off.",
    )  # fmt: skip
    assert claims._marked(one, {"leak": 1}) == "[It is 3\\. [leaks]{.leak}]{.claim}"
    assert claims._marked(one, {}) == "It is 3\\."
