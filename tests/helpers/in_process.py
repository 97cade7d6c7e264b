"""Train and compare on a small panel in this process, without the cost of a process a seed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from rich.console import Console

from panelbench.compare.compare import compare
from panelbench.config import Settings, parse
from panelbench.files import sha256, write_json, write_parquet, write_text
from panelbench.train import run
from panelbench.train.fit import carry_out
from panelbench.train.job import Job
from panelbench.train.record import ExperimentRuns
from tests.helpers.panels import make_panel


class InProcess:
    """A backend that carries jobs out one after the other, here."""

    def run(self, jobs: Sequence[Job], observer: Any) -> None:
        for job in jobs:
            Path(job.folder).mkdir(parents=True)
            observer.ended(job, carry_out(job, lambda done, total: None), None)


def write_panel(root: Path, y: np.ndarray, **covariates: np.ndarray) -> None:
    """Write a weekly panel with target (S, T) `y` and known-ahead columns (S, T)."""
    series, steps = y.shape
    panel = make_panel(series=series, steps=steps, past=0)
    columns = covariates or {"promo": panel.future[:, :, 0]}
    info = panel.info.model_copy(update={"future": tuple(columns)})
    future = np.stack([np.broadcast_to(one, y.shape) for one in columns.values()], axis=-1)
    panel = replace(panel, info=info, y=y.astype(float), future=future.astype(float))
    write_parquet(root / "data/panel.parquet", panel.to_frame())
    digest = sha256(root / "data/panel.parquet")
    write_text(root / "data/panel.json", info.model_copy(update={"sha256": digest}).model_dump_json())


def make_settings(experiments: dict[str, Any], **groups: Any) -> Settings:
    content = {
        "panel": {"source": "synthetic"},
        "split": {"test_steps": 6, "validation_steps": 3},
        "seeds": [0, 1],
        "defaults": {"lookback": 8, "epochs": 2, "batch_size": 32},
        "experiments": experiments,
        "compare": {"resamples": 100, "block_length": 2},
    }
    return parse(Settings, {**content, **groups}, "")


def train(root: Path, settings: Settings) -> dict[str, ExperimentRuns]:
    """Train every experiment; return its records by name."""
    quiet = Console(file=io.StringIO())
    with mock.patch.object(run, "choose_backend", return_value=InProcess()):
        return {name: run.train(name, settings, root, quiet).runs for name in settings.experiments}


def compare_all(root: Path, settings: Settings) -> None:
    """Score what was trained, as the stage does."""
    write_json(root / "reports/audit.json", {"passed": True, "checks": []})
    compare(settings, root)
