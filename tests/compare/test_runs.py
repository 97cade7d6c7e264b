"""Loading runs: what is read, and each way in which runs must not be compared."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from panelbench.compare.runs import load_results, period_names
from panelbench.errors import InputError


def edit(path, change) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def refused(tree, *words: str, **groups) -> None:
    with pytest.raises(InputError) as caught:
        load_results(tree.settings(**groups), tree.root)
    for word in words:
        assert word in str(caught.value)


def test_when_runs_are_whole_then_seeds_and_failures_are_known(runs_tree):
    runs_tree.add("rnn", seeds=(0, 1, 2), failed={1: "loss is not finite"})
    runs_tree.add("naive", deterministic=True, n_parameters=None)
    results = load_results(runs_tree.settings(), runs_tree.root)
    rnn, naive = results.outcomes["rnn"], results.outcomes["naive"]
    assert (rnn.seeds, rnn.deterministic, rnn.n_parameters) == ((0, 2), False, 4545)
    assert [(record.seed, record.error) for record in rnn.failed] == [(1, "loss is not finite")]
    assert (naive.seeds, naive.deterministic, naive.n_parameters) == ((0,), True, None)


def test_when_a_removed_experiment_left_its_folder_then_it_does_not_come_back(runs_tree):
    runs_tree.add("old")
    runs_tree.add("rnn")
    (runs_tree.run_folder("old") / "runs.json").write_text("not JSON")
    del runs_tree.experiments["old"]
    assert list(load_results(runs_tree.settings(), runs_tree.root).outcomes) == ["rnn"]


def test_when_a_declared_experiment_has_no_folder_then_it_is_named(runs_tree):
    runs_tree.add("rnn")
    runs_tree.add("lstm")
    runs_tree.add("cnn")
    shutil.rmtree(runs_tree.run_folder("lstm"))
    (runs_tree.run_folder("cnn") / "runs.json").unlink()
    refused(runs_tree, "lstm, cnn", "dvc repro")


def test_when_runs_json_is_broken_then_the_file_is_named(runs_tree):
    runs_tree.add("rnn")
    path = runs_tree.run_folder("rnn") / "runs.json"
    path.write_text('{"experiment": "rnn"')
    refused(runs_tree, str(path), "not valid JSON")


@pytest.mark.parametrize("content", ["[]", "null", '{"experiment": "rnn", "runs": 3}', "{}"])
def test_when_runs_json_is_something_else_then_the_file_is_named(runs_tree, content):
    runs_tree.add("rnn")
    path = runs_tree.run_folder("rnn") / "runs.json"
    path.write_text(content)
    refused(runs_tree, str(path))


def test_when_a_record_has_an_unknown_status_then_it_is_refused(runs_tree):
    runs_tree.add("rnn")
    path = runs_tree.run_folder("rnn") / "runs.json"
    edit(path, lambda content: content["runs"][1].update(status="maybe"))
    refused(runs_tree, str(path), "status")


def test_when_a_folder_was_copied_under_another_name_then_it_is_refused(runs_tree):
    runs_tree.add("rnn")
    runs_tree.add("lstm")
    shutil.rmtree(runs_tree.run_folder("lstm"))
    shutil.copytree(runs_tree.run_folder("rnn"), runs_tree.run_folder("lstm"))
    refused(runs_tree, "'rnn'", "'lstm'")


def test_when_a_declared_seed_is_missing_then_it_is_not_passed_over(runs_tree):
    runs_tree.add("rnn")
    refused(runs_tree, "[0, 1, 2]", "[0, 1, 2, 3]", seeds=[0, 1, 2, 3])


def test_when_there_are_more_seeds_than_declared_then_none_is_picked(runs_tree):
    runs_tree.add("rnn")
    refused(runs_tree, "[0, 1, 2]", "[0, 1]", seeds=[0, 1])


def test_when_an_experiment_has_its_own_seeds_then_those_count(runs_tree):
    runs_tree.add("rnn", seeds=(4, 7))
    assert load_results(runs_tree.settings(), runs_tree.root).outcomes["rnn"].seeds == (4, 7)


def test_when_a_deterministic_model_ran_once_then_that_is_enough(runs_tree):
    runs_tree.add("naive", deterministic=True)
    assert load_results(runs_tree.settings(), runs_tree.root).outcomes["naive"].seeds == (0,)
    refused(runs_tree, "deterministic", seeds=[5, 6])


def test_when_a_seed_is_there_twice_then_it_is_refused(runs_tree):
    runs_tree.add("rnn")
    path = runs_tree.run_folder("rnn") / "runs.json"
    edit(path, lambda content: content["runs"].append(content["runs"][0]))
    refused(runs_tree, "more than one run", "[0]")


def test_when_experiments_ran_on_another_panel_then_they_are_named(runs_tree):
    runs_tree.add("rnn")
    runs_tree.add("lstm", record={"panel_sha256": "f" * 64})
    refused(runs_tree, "lstm ran on another panel")


def test_when_one_seed_ran_on_another_panel_then_it_is_noticed(runs_tree):
    runs_tree.add("rnn", failed={2: "killed"})
    path = runs_tree.run_folder("rnn") / "runs.json"
    edit(path, lambda content: content["runs"][2].update(panel_sha256="0" * 64))
    refused(runs_tree, "rnn ran on another panel")


def test_when_forecasts_are_read_then_they_are_those_that_were_written(runs_tree):
    wanted = np.arange(3 * 4 * 12, dtype=float).reshape(3, 4, 12)
    runs_tree.add("rnn", forecasts=wanted)
    rows, y_hat = load_results(runs_tree.settings(), runs_tree.root).forecasts("rnn")
    assert (y_hat == wanted.reshape(3, -1)).all()
    assert (rows.y == runs_tree.y[:, -12:].ravel()).all()
    assert (rows.n, rows.horizon, rows.start) == (48, 1, 48)


def test_when_periods_are_days_or_hours_then_names_show_what_tells_them_apart():
    days = np.array(["2020-01-06", "2020-01-07"], dtype="datetime64[ns]")
    hours = np.array(["2020-01-06T00", "2020-01-06T01"], dtype="datetime64[ns]")
    assert period_names(days) == ["2020-01-06", "2020-01-07"]
    assert period_names(hours) == ["2020-01-06 00:00", "2020-01-06 01:00"]
