"""One unit of work, (experiment, seed), as text that any process on any machine can carry out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from panelbench.config import Strict
from panelbench.config.settings import SplitSettings
from panelbench.train.record import Identity, RunRecord

PREDICTIONS = "predictions.parquet"
HISTORY = "history.csv"
ATTENTION = "attention.npz"
RECORD = "record.json"
STDERR = "stderr.txt"


class Job(Strict):
    """All that one run needs.

    Attributes
    ----------
    settings
        The experiment's resolved settings.
    panel, facts
        Paths of panel.parquet and panel.json.
    folder
        Where the run leaves its parts; `record.json` is written last, so its presence means that the
        others are whole.
    identity
        Made once by the parent, so that all seeds of an experiment state the same.
    request
        All that decides the numbers, as `request.make_request` writes it down.
    """

    experiment: str
    settings: dict[str, Any]
    deterministic: bool
    seed: int
    split: SplitSettings
    panel: str
    facts: str
    folder: str
    identity: Identity
    request: dict[str, Any]

    @property
    def device(self) -> str | None:
        """The device that the settings ask for; None for a model that has no such setting."""
        return self.settings.get("device")

    @property
    def record_path(self) -> Path:
        """Where the run's record is written."""
        return Path(self.folder) / RECORD

    def failed(self, error: str, traceback: str | None) -> RunRecord:
        """Return the record of this job having failed."""
        return RunRecord(
            **self.identity.model_dump(),
            seed=self.seed,
            status="failed",
            error=error,
            traceback=traceback,
            deterministic=self.deterministic,
        )
