from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from panelbench.config import Settings
from panelbench.errors import InputError
from panelbench.train.parts import HISTORY_HEADER
from panelbench.train.record import load_runs
from panelbench.train.run import Outcome, train


def quietly(name: str, settings: Settings, root: Path) -> Outcome:
    return train(name, settings, root, Console(file=io.StringIO()))


def test_when_a_model_is_deterministic_then_it_runs_once(project: Path, settings: Settings) -> None:
    outcome = quietly("naive", settings, project)

    assert [run.seed for run in outcome.runs.runs] == [0]
    assert outcome.runs.runs[0].ok
    assert outcome.runs.runs[0].deterministic


def test_when_an_experiment_has_its_own_seeds_then_a_deterministic_model_takes_the_first(
    project: Path, settings: Settings
) -> None:
    assert [run.seed for run in quietly("last", settings, project).runs.runs] == [5]


def test_when_a_run_is_done_then_its_predictions_are_the_test_rows_in_order(
    project: Path, settings: Settings
) -> None:
    outcome = quietly("naive", settings, project)

    panel = pd.read_parquet(project / "data/panel.parquet")
    expected = panel[panel["ds"].isin(panel["ds"].unique()[-8:])].reset_index(drop=True)
    found = pd.read_parquet(outcome.folder / "predictions.parquet")
    assert list(found.columns) == ["unique_id", "ds", "origin", "step", "seed", "y", "y_hat"]
    assert (found["unique_id"] == expected["unique_id"]).all()
    assert (found["ds"] == expected["ds"]).all()
    assert (found["y"] == expected["y"]).all()
    assert (found["ds"] - found["origin"] == pd.Timedelta(weeks=1)).all()
    season_ago = panel.groupby("unique_id")["y"].shift(4)[panel["ds"].isin(expected["ds"])]
    assert (found["y_hat"].to_numpy() == season_ago.to_numpy()).all()


def test_when_the_horizon_is_longer_then_every_step_has_its_own_row(
    project: Path, with_execution: Callable[..., Settings]
) -> None:
    experiments = {"naive": {"model": "seasonal_naive", "season": 4, "horizon": 3}}
    outcome = quietly("naive", with_execution(experiments=experiments), project)

    found = pd.read_parquet(outcome.folder / "predictions.parquet")
    assert len(found) == 3 * (8 - 3 + 1) * 3
    assert ((found["ds"] - found["origin"]) == found["step"] * pd.Timedelta(weeks=1)).all()
    assert found.equals(found.sort_values(["seed", "unique_id", "ds", "step"], ignore_index=True))


def test_when_a_model_has_no_epochs_then_the_history_is_a_header(project: Path, settings: Settings) -> None:
    outcome = quietly("naive", settings, project)

    assert (outcome.folder / "history.csv").read_text("utf-8") == HISTORY_HEADER + "\n"
    assert sorted(path.name for path in outcome.folder.iterdir()) == [
        "history.csv",
        "predictions.parquet",
        "runs.json",
    ]


def test_when_it_trains_again_then_only_seconds_and_memory_differ(
    project: Path, with_execution: Callable[..., Settings]
) -> None:
    first = quietly("transformer", with_execution(execution={"workers": 1}), project)
    before = {path.name: path.read_bytes() for path in first.folder.iterdir()}
    # Other seeds order, other number of workers: neither may show.
    again = with_execution(execution={"workers": 3}, seeds=[2, 0, 1])
    second = quietly("transformer", again, project)
    after = {path.name: path.read_bytes() for path in second.folder.iterdir()}

    assert set(before) == {"attention.npz", "history.csv", "predictions.parquet", "runs.json"}
    for name in ("attention.npz", "history.csv", "predictions.parquet"):
        assert before[name] == after[name], name
    measured = {"seconds_fit", "seconds_predict", "peak_memory_mib"}
    runs = [json.loads(content["runs.json"]) for content in (before, after)]
    for content in runs:
        for run in content["runs"]:
            assert all(run.pop(key) is not None for key in measured)
    assert runs[0] == runs[1]


def test_when_a_transformer_is_trained_then_its_attention_is_kept_by_seed(
    project: Path, settings: Settings
) -> None:
    outcome = quietly("transformer", settings, project)

    with np.load(outcome.folder / "attention.npz", allow_pickle=False) as arrays:
        content = dict(arrays)
    assert content["weights"].shape == (3, 1, 2, 8, 8)
    assert content["weights"].dtype == np.float32
    assert content["seeds"].tolist() == [0, 1, 2]
    assert content["example_weights"].shape == (6, 1, 2, 8, 8)
    assert np.allclose(content["weights"].sum(axis=-1), 1, atol=1e-5)
    assert np.allclose(content["example_weights"].sum(axis=-1), 1, atol=1e-5)
    predictions = pd.read_parquet(outcome.folder / "predictions.parquet")
    levels = pd.read_parquet(project / "data/panel.parquet").groupby("unique_id")["y"].mean()
    assert list(content["example_series"][::2]) == list(levels.sort_values(ascending=False).index)
    origins = predictions["origin"].dt.strftime("%Y-%m-%d")
    assert list(content["example_origin"][:2]) == [origins.min(), origins.max()]


def test_when_seeds_train_then_each_has_its_own_numbers_and_seed_0_is_one_of_them(
    project: Path, settings: Settings
) -> None:
    outcome = quietly("rnn", settings, project)

    wide = pd.read_parquet(outcome.folder / "predictions.parquet").pivot_table(
        index=["unique_id", "ds"], columns="seed", values="y_hat"
    )
    assert list(wide.columns) == [0, 1, 2]
    assert not np.allclose(wide[0], wide[1])
    assert not np.allclose(wide[0], wide[2])
    history = pd.read_csv(outcome.folder / "history.csv")
    assert history[["seed", "epoch"]].to_numpy().tolist() == [[s, e] for s in (0, 1, 2) for e in (1, 2)]


def test_when_a_seed_runs_then_what_decides_its_numbers_is_recorded(
    project: Path, with_execution: Callable[..., Settings]
) -> None:
    outcome = quietly("naive", with_execution(execution={"threads": 2}), project)

    run = load_runs(outcome.folder / "runs.json").runs[0]
    assert run.threads == 2
    assert (run.n_train, run.n_valid, run.n_test) == (3 * 40, 3 * 4, 3 * 8)
    assert run.n_parameters == 0
    assert run.device == "cpu"
    assert run.notes == {"season": 4}
    assert run.panel_sha256 == json.loads((project / "data/panel.json").read_text("utf-8"))["sha256"]
    assert run.versions["numpy"] == np.__version__
    assert outcome.runs.settings["lookback"] == 8


def test_when_every_seed_diverges_then_each_is_recorded_and_nothing_is_filled(
    project: Path, settings: Settings
) -> None:
    outcome = quietly("diverging", settings, project)

    assert [run.status for run in outcome.runs.runs] == ["failed"] * 3
    assert all(run.traceback and "Traceback" in run.traceback for run in outcome.runs.runs)
    assert all(run.error and "\n" not in run.error for run in outcome.runs.runs)
    predictions = pd.read_parquet(outcome.folder / "predictions.parquet")
    assert len(predictions) == 0
    assert predictions["ds"].dtype.kind == "M"
    assert load_runs(outcome.folder / "runs.json") == outcome.runs


def test_when_settings_do_not_fit_the_panel_then_the_user_is_told_and_the_old_result_stays(
    project: Path, settings: Settings
) -> None:
    kept = project / "data/runs/too_long/kept.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("an earlier result", "utf-8")

    with pytest.raises(InputError, match=r"experiments\.too_long: .*lookback 500"):
        quietly("too_long", settings, project)

    assert kept.read_text("utf-8") == "an earlier result"
    assert list((project / "data/.unfinished").iterdir()) == []


def test_when_the_experiment_is_not_declared_then_the_nearest_is_named(
    project: Path, settings: Settings
) -> None:
    with pytest.raises(InputError, match="Did you mean 'naive'"):
        quietly("naiv", settings, project)


def test_when_an_old_result_is_there_then_it_is_replaced_as_a_whole(
    project: Path, settings: Settings
) -> None:
    stale = project / "data/runs/naive/attention.npz"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"from another model")

    quietly("naive", settings, project)

    assert not stale.exists()
