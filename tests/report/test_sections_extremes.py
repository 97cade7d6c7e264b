"""What each section says of studies at the edge: one of something, nothing finished, very many."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import numpy as np
import pytest

from panelbench.compare.runs import Results
from panelbench.report import choice, words
from tests.report.conftest import ABLATIONS, SIX, Project
from tests.report.shown import check, sections


def test_a_baseline_that_wins_is_said_to_win(project: Project) -> None:
    project.tree.add("naive", model="seasonal_naive", noise=1, deterministic=True, seeds=SIX)
    project.tree.add("rnn", noise=30, seeds=SIX)
    found = sections(project.finish())
    check(found)
    assert found["answer"].sentence.startswith("No trained model beats naive")


def test_a_failed_seed_is_reported_and_its_row_stays(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX, failed={3: "diverged at epoch 4 | <b>"})
    project.tree.add("lost", seeds=SIX, failed=dict.fromkeys(SIX, "out of memory"))
    found = sections(project.finish())
    check(found)
    body = found["answer"].body
    assert "7 of 12 runs **failed**" in body
    assert "1 of 6 seeds failed" in body
    assert "| lost | failed |" in body
    assert "diverged at epoch 4 \\| \\<b\\>" in found["provenance"].body


def test_a_study_in_which_nothing_finished_still_has_a_report(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX, failed=dict.fromkeys(SIX, "killed"))
    found = sections(project.finish())
    check(found)
    assert found["answer"].sentence == "No run finished, so there is nothing to compare."
    assert {"answer", "panel", "audit", "provenance"} <= set(found)


def test_one_seed_gives_no_interval_and_says_so(project: Project) -> None:
    project.tree.add("rnn", seeds=(0,))
    project.tree.add("lstm", seeds=(0,), model="lstm", noise=9)
    project.tree.add("large", seeds=(0,), model="lstm", noise=19, n_parameters=9999)
    found = sections(project.finish(ablations={"kind": {"baseline": "rnn", "variants": ["lstm"]}}))
    check(found)
    assert "declare several seeds" in found["spread"].sentence
    text = "\n".join(one.to_markdown() for one in found.values())
    assert not re.search(r"over 1 seed|n = 1 seeds|without randomness|has no randomness", text)
    assert "Every model was trained once" in found["answer"].body
    assert "one run each" in found["size"].figures[0].caption.lower()


def test_deterministic_models_alone_need_no_seeds(project: Project) -> None:
    project.tree.add("lasso", model="lasso", deterministic=True, seeds=SIX, n_parameters=46)
    project.tree.add("ols", model="ols", deterministic=True, seeds=SIX, noise=9, n_parameters=47)
    found = sections(project.finish())
    check(found)
    assert found["spread"].sentence.startswith("No model here depends on a seed")
    assert "fixed" in found["answer"].body
    assert found["learning"].sentence.startswith("No model in this study is trained by epochs")
    assert found["attention"].sentence.startswith("No Transformer")


def test_one_experiment_alone_is_compared_with_nothing(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    found = sections(project.finish())
    check(found)
    assert "compared with nothing" in found["answer"].body
    assert "comparison" not in found


def test_one_series_is_enough(project_over: Callable[..., Project]) -> None:
    y = 100 + 10 * np.random.default_rng(0).normal(size=(1, 60))
    project = project_over(y)
    project.add_usual()
    found = sections(project.finish(ablations=ABLATIONS))
    check(found)
    assert "between series" not in found["panel"].sentence


def test_constant_series_have_no_autocorrelation_and_no_movement(
    project_over: Callable[..., Project],
) -> None:
    project = project_over(np.full((3, 60), 50.0))
    project.tree.add("rnn", seeds=SIX, noise=0.0, seed_noise=0.0)
    project.tree.add("lstm", seeds=SIX, model="lstm")
    found = sections(project.finish())
    check(found)
    assert "do not move" in found["forecasts"].sentence


def test_a_short_test_block_has_no_interval_over_periods(project_over: Callable[..., Project]) -> None:
    project = project_over(100 + 10 * np.random.default_rng(0).normal(size=(3, 40)), test_steps=2)
    project.add_usual()
    check(sections(project.finish(ablations=ABLATIONS)))


def test_several_steps_ahead_show_whole_forecasts_and_the_error_of_each_step(
    project_over: Callable[..., Project],
) -> None:
    project = project_over(100 + 10 * np.random.default_rng(0).normal(size=(3, 60)), horizon=3)
    project.add_usual()
    found = sections(project.finish(ablations=ABLATIONS))
    check(found)
    assert "forecasts of the next 3 weeks, made every 3 weeks" in found["forecasts"].figures[0].caption
    assert "3 weeks ahead" in found["answer"].sentence
    caption = found["steps"].figures[0].caption
    assert "direct multi-step forecasts, 3 weeks ahead" in words.plain(caption)
    assert "n = 30 forecasts a step and seed" in caption


def test_forty_experiments_fit(project: Project) -> None:
    for i in range(40):
        models = ("rnn", "lstm", "cnn", "transformer", "lasso")
        project.tree.add(
            f"experiment_number_{i:02d}_with_a_rather_long_name",
            model=models[i % 5],
            noise=5.0 + i,
            n_parameters=1000 + 37 * i,
            seeds=SIX,
        )
    data = project.finish(compare={"resamples": 100, "block_length": 3})
    found = sections(data)
    check(found)
    assert "most accurate of" in found["learning"].figures[0].caption
    board = found["answer"].body
    assert board.count("figures/strip-experiment") == 5  # the best of each model
    assert "Shown are 5 of 40 experiments: the most accurate experiment of each model" in board
    assert "All 40 experiments" in board
    every = board[board.index("All 40 experiments") :]
    assert all(data.md(name) in every for name in data.experiments)
    assert {figure.name for figure in found["spread"].inline} == {"spread-all"}
    letters = choice.groups(data)
    apart = {frozenset((pair.a, pair.b)) for pair in data.comparison.pairs if pair.separable}
    for one, other in itertools.combinations(letters, 2):
        assert (frozenset((one, other)) in apart) == (not set(letters[one]) & set(letters[other]))


def test_ten_thousand_series_are_drawn_as_a_sample_that_says_so(
    project_over: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    project = project_over(
        rng.lognormal(3, 1, size=(10_000, 1)) * (1 + 0.2 * rng.normal(size=(10_000, 30))), test_steps=6
    )
    project.tree.add("rnn", seeds=SIX)
    project.tree.add("last_value", model="last_value", deterministic=True, noise=9, seeds=SIX)
    data = project.finish(compare={"resamples": 100, "block_length": 3})
    monkeypatch.setattr(Results, "forecasts", None)  # whoever read all forecasts would need memory for them
    found = sections(data)
    check(found)
    assert "400 of 10,000 series drawn" in found["where"].figures[0].caption
    assert "over 400 of 10,000 series" in words.plain(found["forecasts"].sentence)
    assert data.panel.past.nbytes == data.panel.future.nbytes == 0
