"""Several horizons, several modes, splits that leak, and panels whose period is an hour."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from panelbench.report import words
from panelbench.report.data import ReportData
from panelbench.report.section import Section
from panelbench.report.sections import caution, leaky, steps, tasks
from tests.helpers.runs_tree import RunsTree
from tests.report.conftest import SIX, Project
from tests.report.shown import check, sections

FIVE = np.random.default_rng(3).normal(size=(4, 96)) * 10 + 100 * np.arange(1, 5)[:, None]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[ReportData, dict[str, Section]]:
    """Ten-hour forecasts, direct and recursive, one leaking; and two one-step experiments beside them."""
    root = tmp_path_factory.mktemp("hourly")
    tree = RunsTree(root, y=FIVE, test_steps=40, horizon=10, frequency="h", target_name="load")
    tree.add("naive", model="seasonal_naive", deterministic=True, seeds=SIX, noise=30, n_parameters=None)
    tree.add("direct", model="transformer", seeds=SIX, noise=12, attention=True)
    tree.add("fed_back", model="transformer", seeds=SIX, noise=9, own={"strategy": "recursive"})
    tree.add("leak", model="transformer", seeds=SIX, noise=2, own={"boundary": "windows"})
    tree.add("one_rnn", model="rnn", seeds=SIX, own={"horizon": 1})
    tree.add("one_last", model="last_value", deterministic=True, noise=30, seeds=SIX, own={"horizon": 1})
    data = Project(tree, root).finish(compare={"resamples": 100, "block_length": 3})
    return data, sections(data)


def test_each_horizon_has_a_leaderboard_of_its_own(found: tuple[ReportData, dict[str, Section]]) -> None:
    _, shown = found
    check(shown)
    board, other = shown["answer"].body, shown["tasks"].body
    assert all(f"strip-{name}.svg" in board for name in ("naive", "direct", "fed_back"))
    assert "strip-one" not in board
    assert all(f"strip-{name}.svg" in other for name in ("one_rnn", "one_last"))
    assert "strip-direct" not in other
    assert "### Rolling one\\-step forecasts {#task-one-step}" in other
    assert "(#tasks)" in board
    pictures = [one.name for section in shown.values() for one in (*section.figures, *section.inline)]
    assert len(set(pictures)) == len(pictures)
    assert {"comparison", "comparison-one-step", "strip-axis-one-step"} <= set(pictures)


def test_modes_stand_beside_the_names_and_in_captions(found: tuple[ReportData, dict[str, Section]]) -> None:
    data, shown = found
    assert "fed back [recursive]{.mode}" in shown["answer"].body
    assert "| direct |" in shown["answer"].body  # whose name says it
    assert "naive [direct]{.mode}" in shown["answer"].body
    assert words.plain(data.kind_of(["naive", "direct"])) == "direct multi-step forecasts, 10 hours ahead"
    assert data.with_mode("fed_back") == "fed back (recursive)"
    assert {data.experiments[name].mode for name in steps.drawn(data)} == {"direct", "recursive"}
    caption = words.plain(shown["steps"].figures[0].caption)
    assert "direct and recursive multi-step forecasts, 10 hours ahead" in caption
    assert "recursive: fed back" in caption
    assert "direct and recursive multi-step" in words.plain(shown["comparison"].figures[0].caption)


def test_a_leaking_split_is_shown_apart_and_ranked_nowhere(
    found: tuple[ReportData, dict[str, Section]],
) -> None:
    data, shown = found
    text = shown["answer"].body
    assert "One experiment leaks, as declared" in text
    difference = float((data.rmse("leak") - data.rmse("direct")).mean())
    found_difference, low, high, n = leaky.paired(data, "leak", "direct") or (0.0, 0.0, 0.0, 0)
    assert found_difference == pytest.approx(difference)
    assert low < difference < high
    assert n == len(SIX)
    assert ("makes the error look lower" in text) == (high < 0)
    row = next(line for line in leaky.table_of(data).splitlines() if "{.leak}" in line)
    assert data.md("direct") in row  # the same experiment without the leak
    assert "strip-leak" not in text
    assert not any("leak" in shown[name].figures[0].caption for name in ("steps", "comparison", "forecasts"))
    assert data.best == "fed_back"
    assert "leak" in shown["provenance"].body


def test_where_every_split_leaks_no_run_is_said_to_be_missing(project: Project) -> None:
    own = {"horizon": 2, "boundary": "windows"}
    project.tree.add("leak", model="transformer", seeds=SIX, own=own)
    shown = sections(project.finish())
    check(shown)
    assert shown["answer"].sentence.startswith("The split of every experiment that finished leaks")
    assert "One experiment leaks, as declared" in shown["answer"].body
    assert "No model that is ranked here" in shown["learning"].sentence
    assert "No Transformer that is ranked here" in shown["attention"].sentence


def test_the_error_of_each_step_is_that_of_the_stored_forecasts(
    found: tuple[ReportData, dict[str, Section]],
) -> None:
    data, shown = found
    rows, y_hat = data.results.forecasts("direct")
    first = np.sqrt(((y_hat - rows.y)[:, rows.step == 1] ** 2).mean(axis=1)).mean()
    error = words.with_spread(first, data.experiments["direct"].by_step[0].rmse.sd)
    assert f"| direct | direct | {error}" in shown["steps"].body
    assert steps.leaders(data)[0][0] == 1


def test_an_hourly_panel_is_spoken_of_in_hours(found: tuple[ReportData, dict[str, Section]]) -> None:
    _, shown = found
    for name, section in shown.items():
        text = words.plain(section.to_markdown())
        assert not re.search(r"\bweek", text), name
    assert re.search(r"began on 2020-01-\d\d \d\d:00", words.plain(shown["where"].sentence))
    assert re.search(r"Dates \| 2020-01-06 00:00 to 2020-01-09 23:00", words.plain(shown["panel"].body))
    caption = words.plain(shown["attention"].figures[0].caption)
    assert re.search(r"last observed hour 2020-01-09 2\d:00", caption)


def test_one_horizon_alone_has_no_such_section(data: ReportData) -> None:
    assert tasks.build(data) is None
    assert steps.build(data) is None


@pytest.mark.parametrize(("separable", "boxed"), [(1, True), (5, False)])
def test_an_order_with_few_real_differences_is_called_hardly_a_ranking(
    data: ReportData, separable: int, boxed: bool
) -> None:
    first, second = list(data.finished)[:2]
    one, two = (data.comparison.experiments[name].label for name in (first, second))
    said = f"{separable} of 10. The two most accurate, {one} and {two}, differ by 1,048.23, known to 9."
    support = data.comparison.support.model_copy(
        update={"can_rank": True, "n_pairs": 10, "n_separable": separable, "sentence": said}
    )
    changed = replace(data, comparison=data.comparison.model_copy(update={"support": support}))
    text = words.plain(caution.box(changed))
    assert ("This order is hardly a ranking" in text) == boxed
    assert (f"differ by 1,048.23 {data.unit} (RMSE), known" in text) == boxed


def test_every_task_says_what_its_data_cannot_carry(found: tuple[ReportData, dict[str, Section]]) -> None:
    data, shown = found
    assert all(caution.box(one) in shown["tasks"].body for one in data.others)


def test_data_that_cannot_rank_say_so_on_the_first_screen(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX, noise=10)
    project.tree.add("lstm", model="lstm", seeds=SIX, noise=10)
    data = project.finish(compare={"resamples": 100, "block_length": 4})
    body = sections(data)["answer"].body
    assert not data.comparison.support.can_rank
    assert body.startswith("::: {.warning}")
    assert "**These data cannot carry a ranking**" in body.split(":::")[1]
    assert "12 target weeks hold 3 blocks" in words.plain(body)
