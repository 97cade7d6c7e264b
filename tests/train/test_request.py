from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from panelbench.config import Settings
from panelbench.models import registry
from panelbench.train.closure import Closure
from panelbench.train.plan import make_jobs
from panelbench.train.request import key_of, used_versions

MakeSettings = Callable[..., Settings]


def key(project: Path, settings: Settings, name: str = "rnn", seed: int = 0) -> str:
    experiment = registry.resolve(settings)[name]
    return key_of(make_jobs(name, experiment, (seed,), settings, project, project)[0].request)


def test_when_only_names_change_then_the_key_stays(project: Path, settings_with: MakeSettings) -> None:
    before = key(project, settings_with())
    renamed = {"other": {"model": "rnn", "hidden": 4, "label": "Another name", "seeds": [0, 1, 2]}}
    assert key(project, settings_with(experiments=renamed), "other") == before


@pytest.mark.parametrize(
    "change",
    [
        {"experiments": {"rnn": {"model": "rnn", "hidden": 5}}},
        {"experiments": {"rnn": {"model": "lstm", "hidden": 4}}},
        {"split": {"test_steps": 7, "validation_steps": 4}},
        {"execution": {"threads": 2}},
        {"defaults": {"lookback": 9, "epochs": 2, "batch_size": 16}},
    ],
    ids=["setting", "model", "split", "threads", "default"],
)
def test_when_what_decides_a_number_changes_then_the_key_does(
    project: Path, settings_with: MakeSettings, change: dict[str, Any]
) -> None:
    assert key(project, settings_with(**change)) != key(project, settings_with())


def test_when_work_is_spread_otherwise_then_the_key_stays(project: Path, settings_with: MakeSettings) -> None:
    spread = {"workers": 7, "backend": "dask", "scheduler": "tcp://10.0.0.1:8786"}
    assert key(project, settings_with(execution=spread)) == key(project, settings_with())
    assert key(project, settings_with(), seed=1) != key(project, settings_with(), seed=0)


@pytest.mark.parametrize(
    ("field", "value", "same"),
    [("title", "Another", True), ("sha256", "0", False), ("future", ["promo"], False), ("season", 4, False)],
)
def test_when_the_panel_is_described_anew_then_roles_count_and_words_do_not(
    project: Path, settings: Settings, field: str, value: object, same: bool
) -> None:
    before = key(project, settings)
    facts = project / "data/panel.json"
    facts.write_text(json.dumps(json.loads(facts.read_text()) | {field: value}))
    assert (key(project, settings) == before) is same


def test_when_a_library_is_not_used_then_its_version_does_not_count() -> None:
    versions = {"python": "3.12", "numpy": "2", "torch": "9", "scikit-learn": "1", "scipy": "1"}
    assert used_versions(Closure((), frozenset({"numpy", "sklearn"})), versions) == {
        "python": "3.12",
        "numpy": "2",
        "scikit-learn": "1",
        "scipy": "1",
    }
