"""The presets of the chapter's example and of the small-data study do what they say, cut down to moments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from panelbench.audit.run import run_checks
from panelbench.compare.claims.ledger import load_ledger
from panelbench.config import Settings, load
from panelbench.data import build_task
from panelbench.models import registry
from panelbench.models.settings import ExperimentSettings
from panelbench.panel import Panel, load_panel
from panelbench.panel.fetch import fetch
from panelbench.panel.prepare import prepare
from tests.helpers.project import ROOT


def study(name: str) -> tuple[Settings, dict[str, ExperimentSettings]]:
    settings = load(ROOT / "presets" / f"{name}.yaml")
    return settings, registry.resolve(settings)


def made(panel: dict, folder: Path) -> Panel:
    fetch(panel, folder / "raw")
    prepare(panel, folder / "raw", folder / "panel.parquet", folder / "panel.json")
    return load_panel(folder / "panel.parquet", folder / "panel.json")


def brief(one: ExperimentSettings, **changes) -> ExperimentSettings:
    known = {key: value for key, value in {"epochs": 1, **changes}.items() if key in type(one).model_fields}
    return one.model_copy(update=known)


def forecast(panel: Panel, settings: Settings, one: ExperimentSettings):
    task = build_task(panel, settings.split, one)
    model = registry.build(one, seed=0)
    model.fit(task.train, task.valid)
    return model, task, model.predict(task.test)


@pytest.fixture(scope="module")
def chapter(tmp_path_factory) -> Panel:
    return made(study("chapter")[0].panel, tmp_path_factory.mktemp("chapter"))


def test_when_the_chapters_claims_are_listed_then_each_is_about_a_declared_experiment():
    settings, experiments = study("chapter")
    entries = load_ledger(settings.claims, ROOT).entries
    subjects = {name for entry in entries for name in entry.claim.subjects}
    assert len(entries) > 20
    assert subjects <= set(experiments)
    assert {"scratch", "library", "scratch_leaky", "library_leaky", "seasonal_naive", "dlinear"} <= subjects


@pytest.mark.parametrize(
    ("name", "parameters"), [("scratch", 110_808), ("library", 110_680), ("scratch_no_final_norm", 110_680)]
)
def test_when_the_chapters_forecaster_is_built_then_its_parameters_are_counted(chapter, name, parameters):
    settings, experiments = study("chapter")
    model, task, found = forecast(chapter, settings, brief(experiments[name], train_fraction=0.02))
    assert model.n_parameters() == parameters
    assert found.shape == task.truth.shape == (777, 24)
    assert np.isfinite(found).all()


def test_when_the_chapter_is_cut_then_leaky_and_sound_experiments_score_the_same_windows(chapter):
    settings, experiments = study("chapter")
    counts = {}
    for name, one in experiments.items():
        task = build_task(chapter, settings.split, one)
        counts[name] = (len(task.train), len(task.test), task.valid)
        assert one.leaks == name.endswith("_leaky")
        assert not one.leaks or one.label.endswith("(leaky split)")
    assert counts["scratch_leaky"] == counts["library_leaky"] == (3104, 777, None)
    assert all(count == (3081, 777, None) for name, count in counts.items() if not experiments[name].leaks)


def test_when_the_chapters_day_is_repeated_then_its_error_is_what_the_process_says(chapter):
    """Twice the noise, and what the weekly wave moves in a day: 0.18 + 0.094; the trend adds little."""
    settings, experiments = study("chapter")
    _, task, found = forecast(chapter, settings, experiments["seasonal_naive"])
    expected = 2 * 0.3**2 + (2 * 0.5 * np.sin(np.pi * 24 / 168)) ** 2 / 2 + 0.024**2
    assert ((found - task.truth) ** 2).mean() == pytest.approx(expected, rel=0.1)


def cities(folder: Path) -> dict:
    """Write 42 days of four cities, as a user would have them, and return the group `panel` for them."""
    rng = np.random.default_rng(0)
    days = pd.date_range("2025-03-01", periods=42, freq="D")
    frame = pd.DataFrame(
        {
            "day": np.tile(days.strftime("%Y-%m-%d"), 4),
            "city": np.repeat(["Aachen", "Berlin", "Celle", "Dresden"], 42),
            "demand": np.round(100 + 20 * np.sin(np.tile(np.arange(42), 4) * 2 * np.pi / 7)
                               + rng.normal(0, 5, 168), 1),
        }
    )  # fmt: skip
    frame.to_csv(folder / "cities.csv", index=False)
    return {
        "source": "csv", "path": str(folder / "cities.csv"), "time": "day", "id": "city", "target": "demand",
        "frequency": "D",
    }  # fmt: skip


@pytest.mark.parametrize("own_file", [False, True])
def test_when_the_small_study_runs_then_every_model_forecasts_its_own_horizon(tmp_path, own_file):
    settings, experiments = study("small")
    panel = made(cities(tmp_path) if own_file else settings.panel, tmp_path)
    assert (panel.n_series, panel.n_steps, panel.info.frequency, panel.info.season) == (4, 42, "D", 7)
    for name, one in experiments.items():
        _, task, found = forecast(panel, settings, brief(one))
        horizon = 1 if one.mode == "rolling" else 4
        assert found.shape == (4 * (10 - horizon + 1), horizon) == task.truth.shape, name
        assert np.isfinite(found).all(), name


def test_when_the_small_forecaster_is_declared_then_it_is_the_one_of_the_exercise():
    _, experiments = study("small")
    one = experiments["transformer"]
    assert (one.lookback, one.width, one.layers, one.heads, one.feed_forward) == (12, 32, 1, 4, 64)
    assert (one.positions, one.norm, one.pool, one.dropout, one.channels) == (
        "sinusoidal", "post", "last", 0.1, ("y",),
    )  # fmt: skip


def test_when_the_small_study_is_audited_then_it_passes_and_speaks_of_days(tmp_path):
    settings, experiments = study("small")
    panel = made(cities(tmp_path), tmp_path)
    found = run_checks(panel, settings.split, experiments, tmp_path / "nothing")
    assert all(check.passed for check in found), [check.detail for check in found if not check.passed]
    assert {"recursive_forecasts", "causal_networks", "permutation_last"} <= {check.id for check in found}
    texts = " ".join(f"{check.title} {check.disturbed} {check.must_hold}" for check in found)
    assert "day" in texts
    assert "week" not in texts
