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
    project: Path, settings_with: Callable[..., Settings]
) -> None:
    experiments = {"naive": {"model": "seasonal_naive", "season": 4, "horizon": 3}}
    outcome = quietly("naive", settings_with(experiments=experiments), project)

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
    trained: Outcome, project: Path, settings_with: Callable[..., Settings]
) -> None:
    # Another order of the seeds and another number of workers: neither may show.
    outcome = quietly("transformer", settings_with(execution={"workers": 2}, seeds=[1, 0]), project)

    before, after = (
        {path.name: path.read_bytes() for path in o.folder.iterdir()} for o in (trained, outcome)
    )
    assert set(before) == set(after) == {"attention.npz", "history.csv", "predictions.parquet", "runs.json"}
    for name in ("attention.npz", "history.csv", "predictions.parquet"):
        assert before[name] == after[name], name
    measured = {"seconds_fit", "seconds_predict", "peak_memory_mib"}
    records = [json.loads(content["runs.json"]) for content in (before, after)]
    for record in records:
        for run in record["runs"]:
            assert all(run.pop(key) is not None for key in measured)
            run.pop("git_revision")  # the checkout may move while its tests run
            run.pop("code_sha256")
    assert records[0] == records[1]


def test_when_a_transformer_is_trained_then_its_attention_is_kept_by_seed(trained: Outcome) -> None:
    with np.load(trained.folder / "attention.npz", allow_pickle=False) as arrays:
        content = dict(arrays)
    assert content["weights"].shape == (2, 1, 2, 8, 8)
    assert content["weights"].dtype == np.float32
    assert content["seeds"].tolist() == [0, 1]
    assert content["example_weights"].shape == (6, 1, 2, 8, 8)
    for name in ("entropy", "entropy_unscaled"):
        assert content[name].shape == (2, 1, 2)
        assert ((content[name] > 0) & (content[name] < 1)).all()
    assert np.allclose(content["weights"].sum(axis=-1), 1, atol=1e-5)
    assert np.allclose(content["example_weights"].sum(axis=-1), 1, atol=1e-5)
    predictions = pd.read_parquet(trained.folder / "predictions.parquet")
    assert sorted(set(content["example_series"])) == sorted(predictions["unique_id"].unique())
    origins = predictions["origin"].dt.strftime("%Y-%m-%d")
    assert list(content["example_origin"]) == [origins.min(), origins.max()] * 3


def test_when_seeds_train_then_each_has_its_own_numbers_and_seed_0_is_one_of_them(trained: Outcome) -> None:
    wide = pd.read_parquet(trained.folder / "predictions.parquet").pivot_table(
        index=["unique_id", "ds"], columns="seed", values="y_hat"
    )
    assert list(wide.columns) == [0, 1]
    assert not np.allclose(wide[0], wide[1])
    history = pd.read_csv(trained.folder / "history.csv")
    assert history[["seed", "epoch"]].to_numpy().tolist() == [[0, 1], [0, 2], [1, 1], [1, 2]]


def test_when_a_seed_runs_then_what_decides_its_numbers_is_recorded(
    project: Path, settings_with: Callable[..., Settings]
) -> None:
    outcome = quietly("naive", settings_with(execution={"threads": 2}), project)

    run = load_runs(outcome.folder / "runs.json").runs[0]
    assert run.threads == 2
    assert (run.n_train, run.n_valid, run.n_test) == (3 * 40, 3 * 4, 3 * 8)
    assert run.n_parameters == 0
    assert run.device == "cpu"
    assert run.notes == {"season": 4}
    assert run.panel_sha256 == json.loads((project / "data/panel.json").read_text("utf-8"))["sha256"]
    assert run.versions["numpy"] == np.__version__
    assert outcome.runs.settings["lookback"] == 8


def test_when_no_seed_ends_well_then_each_is_recorded_and_nothing_is_filled(
    project: Path, settings: Settings
) -> None:
    outcome = quietly("diverging", settings, project)

    assert [run.status for run in outcome.runs.runs] == ["failed"]
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


def test_when_the_parent_is_large_then_its_memory_is_not_counted_as_the_worker_s(
    project: Path, settings: Settings
) -> None:
    ballast = np.ones(60_000_000)  # 458 MiB, touched

    run = quietly("naive", settings, project).runs.runs[0]

    assert ballast[-1] == 1
    assert run.peak_memory_mib is not None
    assert 20 < run.peak_memory_mib < 400
