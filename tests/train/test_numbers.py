"""At the edge of arithmetic every run ends finite, or failed with its reason, and is compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from panelbench.errors import InputError
from tests.helpers.in_process import compare_all, make_settings, train, write_panel

STEPS, TEST = 60, 6
RANDOM = np.random.default_rng(0)
BASE = 100 + 10 * RANDOM.standard_normal((3, STEPS))
WEEK = np.arange(STEPS) % 3.0
WINDOW = {"features": "window"}
MODELS: dict[str, dict[str, Any]] = {
    "season": {"model": "seasonal_naive", "season": 4},
    "last": {"model": "last_value"},
    "ols": {"model": "ols", **WINDOW},
    "ridge": {"model": "ridge", "splits": 2, **WINDOW},
    "lasso": {"model": "lasso", "splits": 2, **WINDOW},
    "xgb": {"model": "xgboost", "trees": 4, **WINDOW},
    "forest": {"model": "random_forest", "trees": 4, **WINDOW},
    "cnn": {"model": "cnn", "filters": [4], "kernels": [3]},
    "rnn": {"model": "rnn", "hidden": 4},
    "rnn_series": {"model": "rnn", "hidden": 4, "scaling": "series"},
    "rnn_window": {"model": "rnn", "hidden": 4, "scaling": "window", "target": "difference"},
    "transformer": {"model": "transformer", "width": 8, "heads": 2, "feed_forward": 8, "layers": 1},
}
PANELS: dict[str, tuple[np.ndarray, dict[str, np.ndarray]]] = {
    "constant": (np.full((3, STEPS), 5.0), {}),
    "constant and small": (np.full((3, STEPS), 5e-6), {}),
    "zero": (np.zeros((3, STEPS)), {}),
    "one series": (BASE[:1], {}),
    "one constant among others": (np.vstack([BASE[:2], np.full((1, STEPS), 3.0)]), {}),
    "covariates constant and collinear": (BASE, {"a": WEEK, "b": 2 * WEEK + 1, "c": np.full(STEPS, 7.0)}),
    "1e12": (BASE * 1e10, {}),
    "1e15": (BASE * 1e13, {}),
    "1e-6": (BASE * 1e-8, {}),
    "negative": (-BASE, {}),
    "a jump at the test block": (np.where(np.arange(STEPS) >= STEPS - TEST, 1e6 * BASE, BASE), {}),
}


def metrics(root: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((root / "reports/metrics.json").read_text())
    return found


@pytest.mark.parametrize("name", PANELS)
def test_when_a_panel_is_extreme_then_every_model_has_a_finite_error_and_a_place(
    name: str, tmp_path: Path
) -> None:
    y, covariates = PANELS[name]
    write_panel(tmp_path, y, **covariates)
    settings = make_settings(MODELS, seeds=[0])
    runs = train(tmp_path, settings)
    assert not {model: one.failed[0].error for model, one in runs.items() if one.failed}
    compare_all(tmp_path, settings)
    found = metrics(tmp_path)
    assert set(found) == set(MODELS)
    errors = {model: one["rmse_mean"] for model, one in found.items()}
    assert all(error is not None and np.isfinite(error) for error in errors.values()), errors
    # However little was learned: no forecast is far from the size of what was seen.
    assert max(errors.values()) <= 2 * max(np.abs(y).max(), 1.0 if not y.any() else 0.0), errors


@pytest.mark.parametrize("scale", [2.0**-19, 2.0**33])
def test_when_the_unit_changes_then_networks_and_trees_forecast_the_same(
    scale: float, tmp_path: Path
) -> None:
    names = ("xgb", "forest", "rnn", "rnn_window", "transformer")
    settings = make_settings({name: MODELS[name] for name in names}, seeds=[0])
    errors = []
    for place, unit in (("one", 1.0), ("other", scale)):
        write_panel(tmp_path / place, BASE * unit)
        train(tmp_path / place, settings)
        compare_all(tmp_path / place, settings)
        errors.append({name: one["rmse_mean"] / unit for name, one in metrics(tmp_path / place).items()})
    # The forest does not split between values closer than 1e-7, so its trees differ a little.
    assert errors[1] == pytest.approx(errors[0], rel=0.1)


def test_when_there_are_two_weeks_to_learn_from_then_each_model_learns_or_says_what_it_lacks(
    tmp_path: Path,
) -> None:
    write_panel(tmp_path, BASE[:, : 4 + 2 + 3 + TEST])
    for name, own in MODELS.items():
        settings = make_settings({name: own}, seeds=[0], defaults={"lookback": 4, "epochs": 2})
        if name in {"lasso", "ridge"}:
            with pytest.raises(InputError, match=r"2 periods .* too few for 2 folds.*Use fewer"):
                train(tmp_path, settings)
            continue
        assert train(tmp_path, settings)[name].finished[0].n_train == 2 * 3
        compare_all(tmp_path, settings)
        assert np.isfinite(metrics(tmp_path)[name]["rmse_mean"])


def test_when_the_test_block_is_one_number_then_it_is_scored_and_nothing_is_separable(tmp_path: Path) -> None:
    write_panel(tmp_path, BASE[:1])
    settings = make_settings(MODELS, split={"test_steps": 1, "validation_steps": 1})
    train(tmp_path, settings)
    compare_all(tmp_path, settings)
    comparison = json.loads((tmp_path / "reports/comparison.json").read_text())
    assert comparison["test"]["n_rows"] == 1
    assert not any(pair["separable"] for pair in comparison["pairs"])
    assert any("No interval over target periods" in note for note in comparison["notes"])


def test_when_training_blows_up_then_a_failure_is_recorded_or_a_warning_is_shown(tmp_path: Path) -> None:
    wild = {"model": "ffn", "widths": [8, 8], "clip_norm": None}
    experiments = {
        "infinite": {**wild, "learning_rate": 1e12, "epochs": 20},
        "absurd": {**wild, "learning_rate": 30.0, "epochs": 20},
        "sound": {**wild, "learning_rate": 0.001},
        "last": {"model": "last_value"},
    }
    write_panel(tmp_path, BASE)
    settings = make_settings(experiments)
    runs = train(tmp_path, settings)
    assert all(
        "not finite" in str(run.error) or "diverged" in str(run.error) for run in runs["infinite"].runs
    )
    assert all("training blew up" in str(run.notes["warning"]) for run in runs["absurd"].finished)
    assert not any("warning" in run.notes for name in ("sound", "last") for run in runs[name].runs)
    compare_all(tmp_path, settings)
    notes = " ".join(json.loads((tmp_path / "reports/comparison.json").read_text())["notes"])
    assert "infinite: 2 of 2 seeds failed" in notes
    assert "absurd, seed 0, 1: its training error in the last epoch is" in notes
    assert metrics(tmp_path)["infinite"]["rmse_mean"] is None


def test_when_the_grid_of_penalties_ends_too_early_for_the_unit_then_it_is_shown(tmp_path: Path) -> None:
    trend = BASE + 3 * np.arange(STEPS)
    lasso = {"lasso": {"model": "lasso", "splits": 2, "lookback": 4, **WINDOW}}
    for place, unit, warned in (("large", 1e9, "strongest"), ("small", 1e-5, "weakest"), ("usual", 1.0, "")):
        write_panel(tmp_path / place, trend * unit)
        settings = make_settings(lasso)
        run = train(tmp_path / place, settings)["lasso"].finished[0]
        assert warned in str(run.notes.get("warning", ""))
        assert ("warning" in run.notes) == bool(warned), run.notes
