from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from panelbench.config.settings import SplitSettings
from panelbench.data import Task, build_task
from panelbench.errors import RunFailure
from panelbench.models.base import EpochRecord
from panelbench.models.settings import LastValueSettings
from panelbench.train.fit import UnusablePredictions, check_predictions, one_line, plain
from panelbench.train.merge import merge_parts
from panelbench.train.parts import HISTORY_HEADER, choose_examples, write_history, write_predictions
from tests.helpers.panels import make_panel


def make_task(horizon: int = 1, seed: int = 0) -> Task:
    settings = LastValueSettings(model="last_value", lookback=5, horizon=horizon)
    return build_task(
        make_panel(steps=40, seed=seed), SplitSettings(test_steps=6, validation_steps=3), settings
    )


def test_when_one_prediction_is_not_finite_then_its_place_is_named() -> None:
    task = make_task(horizon=2)
    predicted = np.zeros((len(task.test), 2))
    predicted[7, 1] = np.nan
    date = str(task.test.target_dates()[7, 1])[:10]
    with pytest.raises(UnusablePredictions, match=f"1 of 30 .* first nan for series index 1, {date}"):
        check_predictions(predicted, task)


@pytest.mark.parametrize("shape", [(17, 1), (18,), (18, 2), (0, 1)])
def test_when_rows_or_steps_are_missing_then_the_predictions_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(UnusablePredictions, match=r"the test block needs \(18, 1\)"):
        check_predictions(np.zeros(shape), make_task())


def test_when_all_predictions_are_finite_then_they_pass() -> None:
    check_predictions(np.zeros((18, 1)), make_task())


def test_when_a_prediction_is_written_then_it_is_beside_its_own_truth(tmp_path: Path) -> None:
    task = make_task(horizon=3)
    panel = make_panel(steps=40)
    write_predictions(tmp_path / "p.parquet", panel, task, task.truth * 2, seed=4)

    found = pd.read_parquet(tmp_path / "p.parquet")
    assert (found["y_hat"] == 2 * found["y"]).all()
    merged = found.merge(panel.to_frame(), on=["unique_id", "ds"], suffixes=("", "_panel"))
    assert len(merged) == len(found) == task.truth.size
    assert (merged["y"] == merged["y_panel"]).all()
    assert set(found["seed"]) == {4}


def test_when_losses_are_written_then_every_digit_can_be_read_back(tmp_path: Path) -> None:
    epochs = [EpochRecord(1, 10, 1 / 3, None, 2 / 3, None), EpochRecord(2, 20, 1e-300, 0.1, 5e17, 7.0)]
    write_history(tmp_path / "h.csv", epochs, seed=3)

    found = pd.read_csv(tmp_path / "h.csv")
    assert ",".join(found.columns) == HISTORY_HEADER
    assert found["train_loss"].tolist() == [1 / 3, 1e-300]
    assert found["valid_loss"].isna().tolist() == [True, False]


def test_when_a_loss_is_a_numpy_number_then_it_is_written_as_a_number(tmp_path: Path) -> None:
    write_history(tmp_path / "h.csv", [EpochRecord(1, 1, np.float64(0.5), None, None, None)], seed=0)
    assert (tmp_path / "h.csv").read_text("utf-8").splitlines()[1] == "0,1,1,0.5,,,"


def test_when_examples_are_chosen_then_the_test_block_has_no_say() -> None:
    task = make_task()
    rows = choose_examples(task.test)
    levels = task.test.known.y[:, : task.test.origin.min() + 1].mean(axis=1)

    assert list(task.test.series[rows[::2]]) == list(np.argsort(-levels))
    assert set(task.test.origin[rows]) == {task.test.origin.min(), task.test.origin.max()}
    later = task.test.known.y[:, task.test.origin.min() + 1 :]
    later += 1e9 * np.arange(3)[::-1, None]
    assert (choose_examples(task.test) == rows).all()


def test_when_seeds_predicted_different_rows_then_merging_is_refused(tmp_path: Path) -> None:
    for number in (0, 1):
        folder = tmp_path / str(number)
        task = make_task(seed=number)
        write_predictions(folder / "predictions.parquet", make_panel(steps=40), task, task.truth, seed=number)
    with pytest.raises(RunFailure, match="did not predict the same rows"):
        merge_parts([tmp_path / "0", tmp_path / "1"], [0, 1], tmp_path)


def test_when_no_seed_finished_then_the_files_are_there_and_empty(tmp_path: Path) -> None:
    merge_parts([], [], tmp_path)

    assert len(pd.read_parquet(tmp_path / "predictions.parquet")) == 0
    assert (tmp_path / "history.csv").read_text("utf-8") == HISTORY_HEADER + "\n"


def test_when_a_note_is_no_json_then_it_becomes_plain() -> None:
    assert plain(np.int64(3)) == 3
    assert type(plain(np.int64(3))) is int
    assert plain(np.float32(0.5)) == 0.5
    assert plain(float("inf")) == "inf"
    assert plain(np.bool_(True)) is True


def test_when_an_error_has_many_lines_then_the_first_is_taken() -> None:
    assert one_line(ValueError("first\nsecond")) == "ValueError: first"
    assert one_line(KeyError()) == "KeyError"
