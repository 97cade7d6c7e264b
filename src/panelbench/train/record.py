"""What is kept about every run: one record a seed, failed seeds included."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from panelbench.config import Strict
from panelbench.files import read_model, write_json

Note = bool | int | float | str | None


class Identity(Strict):
    """What decides a run's numbers besides its settings and its seed.

    Attributes
    ----------
    panel_sha256
        Of panel.parquet.
    code_sha256
        Of the source of the packages a run executes.
    git_revision
        Commit of that source, with "+dirty" where files differ from it; None outside git.
    versions
        Of Python and the libraries.
    threads
        Inside one run; another number can change the last digits.
    platform
        Operating system and processor.
    cpu_count
        Cores this process may use.
    processor
        Model and vector instructions; numerical libraries choose their kernels by them.
    """

    panel_sha256: str
    code_sha256: str
    git_revision: str | None
    versions: dict[str, str]
    threads: int
    platform: str
    cpu_count: int
    processor: str = ""


class RunRecord(Identity):
    """One seed of one experiment, finished or failed.

    Attributes
    ----------
    error, traceback
        Why it failed, in one line and in full; None for a finished run.
    seconds_fit, seconds_predict
        Wall time of the two calls; None where it was not reached.
    peak_memory_mib
        Largest resident memory of the run's process; None where the process was killed.
    n_parameters
        Trained numbers; None where that is no meaningful count (trees).
    parameters_by_part
        The same, block by block; empty where there is no count.
    n_train, n_valid, n_test
        Windows in each block; None where it failed before they were cut.
    device
        Where the model computed: "cpu", "cuda", "mps".
    notes
        What the model says of its fit, such as the chosen penalty.
    from_store
        Whether an earlier run of the same code on the same data was taken over. Seconds, memory and platform
        are that run's; revision and hash of the code are the present ones, which compute the same.
    """

    seed: int
    status: Literal["ok", "failed"]
    error: str | None = None
    traceback: str | None = None
    seconds_fit: float | None = None
    seconds_predict: float | None = None
    peak_memory_mib: float | None = None
    n_parameters: int | None = None
    parameters_by_part: dict[str, int] = Field(default_factory=dict)
    deterministic: bool
    n_train: int | None = None
    n_valid: int | None = None
    n_test: int | None = None
    device: str | None = None
    notes: dict[str, Note] = Field(default_factory=dict)
    from_store: bool = False

    @property
    def ok(self) -> bool:
        """Whether the run finished with usable predictions."""
        return self.status == "ok"


class ExperimentRuns(Strict):
    """The content of runs.json: one experiment, all its seeds."""

    experiment: str
    label: str
    model: str
    settings: dict[str, Any]
    runs: tuple[RunRecord, ...]

    @property
    def finished(self) -> tuple[RunRecord, ...]:
        """The runs with usable predictions."""
        return tuple(run for run in self.runs if run.ok)

    @property
    def failed(self) -> tuple[RunRecord, ...]:
        """The runs without."""
        return tuple(run for run in self.runs if not run.ok)

    def save(self, path: Path) -> None:
        """Write runs.json."""
        write_json(path, self.model_dump(mode="json"))


def load_runs(path: Path) -> ExperimentRuns:
    """Read runs.json.

    Raises
    ------
    InputError
        If the file is absent or is not what `ExperimentRuns.save` writes.
    """
    remedy = "Delete its folder and run `dvc repro`."
    return read_model(ExperimentRuns, path, "is not a record of runs", remedy)
