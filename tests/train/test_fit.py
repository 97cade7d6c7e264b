"""A run in this process, so that a leak can be planted into its model."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from panelbench.config import Settings
from panelbench.models import registry
from panelbench.models.naive import SeasonalNaive
from panelbench.train.fit import carry_out
from panelbench.train.job import PREDICTIONS, Job
from panelbench.train.plan import make_jobs


@pytest.fixture
def job(project: Path, settings: Settings) -> Job:
    experiment = registry.resolve(settings)["naive"]
    (job,) = make_jobs("naive", experiment, (0,), settings, project, project / "data/.unfinished/naive")
    Path(job.folder).mkdir(parents=True)
    return job


def test_when_a_model_keeps_to_its_windows_then_the_run_is_fine(job: Job) -> None:
    assert carry_out(job, lambda done, total: None).ok


@pytest.mark.parametrize("absolute", [True, False])
def test_when_a_model_opens_the_panel_then_the_run_has_failed(
    job: Job, project: Path, monkeypatch: pytest.MonkeyPatch, absolute: bool
) -> None:
    monkeypatch.chdir(project)
    path = Path(job.panel) if absolute else Path("data/panel.parquet")
    predict = SeasonalNaive.predict

    def reading(self, windows):
        try:
            table = pd.read_parquet(path)
        except OSError:  # a model may go on without what it was refused, and is found out all the same
            return predict(self, windows)
        return predict(self, windows) + table["y"].mean()

    monkeypatch.setattr(SeasonalNaive, "predict", reading)
    record = carry_out(job, lambda done, total: None)
    assert record.status == "failed"
    assert record.error is not None
    assert record.error.startswith("Forbidden: the model opened panel.parquet in ")
    assert not (Path(job.folder) / PREDICTIONS).exists()
