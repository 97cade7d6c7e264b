"""What each section says of a usual study, and of its audit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import Section
from panelbench.report.sections import SECTIONS
from tests.report.conftest import SIX, Project
from tests.report.shown import check, sections


@pytest.fixture(scope="module")
def usual_sections(data: ReportData) -> dict[str, Section]:
    return sections(data)


def test_a_usual_study_fills_every_section(usual_sections: dict[str, Section]) -> None:
    found = usual_sections
    check(found)
    assert set(SECTIONS) - set(found) <= {"claims", "robustness", "steps", "tasks"}  # only in some studies


def _which(data: ReportData) -> str:
    """Return the sentence on the best model, which a ledger pushes from the first place to the body."""
    body = SECTIONS["answer"](data).body
    return next(line for line in body.splitlines() if "best here?" in line).split("?** ")[1]


def test_the_answer_names_the_best_model_its_error_and_the_gain_over_the_best_baseline(
    data: ReportData,
) -> None:
    sentence = _which(data)
    best, naive = data.best, data.baselines[0]
    tied = any(best in (pair.a, pair.b) and not pair.separable for pair in data.comparison.pairs)
    claim = "has the lowest error" if tied else "is the most accurate"
    assert " on average), " in sentence  # an error means nothing without the size of what it is an error of
    assert sentence.startswith(f"{data.md(best)} {claim}: its forecasts miss by")
    assert words.with_spread(data.mean(best), data.sd(best)) in sentence
    assert words.percent(1 - data.mean(best) / data.mean(naive)) in sentence
    assert data.md(naive) in sentence


def test_the_leaderboard_has_a_row_and_a_strip_an_experiment_in_order_of_error(data: ReportData) -> None:
    section = SECTIONS["answer"](data)
    board = section.body[section.body.index("::: {.leaderboard}") :]
    places = [board.index(f"figures/strip-{name}.svg") for name in data.comparison.order]
    assert places == sorted(places)
    assert len(section.inline) == len(data.experiments) + 1


def test_what_cannot_be_told_from_the_best_is_named(data: ReportData) -> None:
    body = SECTIONS["answer"](data).body
    tied = [
        pair.b if pair.a == data.best else pair.a
        for pair in data.comparison.pairs
        if data.best in (pair.a, pair.b) and not pair.separable
    ]
    assert "**How sure?**" in body
    assert ("**How sure?** Measurably better" in body) == (not tied)


def test_an_absent_audit_is_a_warning_on_the_first_screen(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    found = sections(project.finish(audit=None))
    assert "The leak audit has not run" in found["answer"].body
    assert "has not run" in found["audit"].sentence


def test_a_failed_audit_is_a_warning_on_the_first_screen(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    found = sections(project.finish(audit=False))
    assert "leak audit **failed** (Values after the cutoff)" in found["answer"].body
    assert "1 of 2 checks failed" in found["audit"].sentence
    assert "[MOVED]{.fail}" in found["audit"].body


def test_sections_are_the_same_twice(data: ReportData, usual_sections: dict[str, Section]) -> None:
    first, second = usual_sections, sections(data)
    assert {name: one.to_markdown() for name, one in first.items()} == {
        name: one.to_markdown() for name, one in second.items()
    }
    assert [figure.images for one in first.values() for figure in one.figures] == [
        figure.images for one in second.values() for figure in one.figures
    ]


def test_an_experiment_that_is_no_longer_declared_does_not_come_back(
    usual: Project, data: ReportData
) -> None:
    fewer = {name: own for name, own in usual.settings.experiments.items() if name != "rnn"}
    settings = usual.settings.model_copy(update={"experiments": fewer})
    assert "rnn" not in replace(data, settings=settings).looks
