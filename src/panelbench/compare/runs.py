"""Read the declared experiments' stored runs, and refuse what must not be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from panelbench.compare.rows import Rows, read_predictions
from panelbench.compare.schema import Mode
from panelbench.config import Settings
from panelbench.errors import InputError
from panelbench.panel.panel import Panel, load_panel
from panelbench.train.record import RunRecord, load_runs

Float = NDArray[np.float64]

__all__ = ["Outcome", "Results", "RunRecord", "load_results", "period_names"]


@dataclass(frozen=True)
class Outcome:
    """One experiment's seeds: those that finished and those that did not."""

    name: str
    label: str
    model: str
    records: tuple[RunRecord, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    """As they were resolved when it was trained."""

    @property
    def horizon(self) -> int:
        """Steps ahead that it forecasts."""
        return int(self.settings.get("horizon", 1))

    @property
    def mode(self) -> Mode:
        """How it forecasts several steps."""
        if self.horizon == 1:
            return "rolling"
        return "recursive" if self.settings.get("strategy") == "recursive" else "direct"

    @property
    def leaks(self) -> bool:
        """Whether its split is declared to leak: training targets inside the test block."""
        return self.settings.get("boundary") == "windows"

    @property
    def finished(self) -> tuple[RunRecord, ...]:
        """Records of the seeds that finished, by seed."""
        return tuple(record for record in self.records if record.ok)

    @property
    def failed(self) -> tuple[RunRecord, ...]:
        """Records of the seeds that failed, by seed."""
        return tuple(record for record in self.records if not record.ok)

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds that finished, ascending: the first axis of every array of scores."""
        return tuple(record.seed for record in self.finished)

    @property
    def deterministic(self) -> bool:
        """Whether the model gives the same forecasts for every seed, so that one run is all there is."""
        return any(record.deterministic for record in self.records)

    @property
    def n_parameters(self) -> int | None:
        """Trainable parameters, where the model counts them."""
        counts = [record.n_parameters for record in self.records if record.n_parameters is not None]
        return counts[0] if counts else None


@dataclass
class Results:
    """The stored results of the declared experiments.

    Forecasts are read one experiment at a time, so memory holds one experiment and not all of them.
    """

    runs: Path
    panel: Panel
    outcomes: dict[str, Outcome]
    test_steps: int
    rows: dict[int, Rows] = field(default_factory=dict)
    """By horizon, the test rows that every experiment of that horizon forecasts."""
    _rows_of: dict[int, str] = field(default_factory=dict)

    def forecasts(self, name: str) -> tuple[Rows, Float]:
        """Read one experiment's forecasts.

        Returns
        -------
        rows
            The n test rows, which are the same for every experiment of one horizon.
        y_hat
            (R, n) forecasts in the target's unit, R = seeds that finished, in the order of `Outcome.seeds`.

        Raises
        ------
        InputError
            If the file is unreadable, disagrees with runs.json or with the panel, lacks a part of the test
            block, or covers other rows than the experiments of its horizon read before it.
        """
        path = self.runs / name / "predictions.parquet"
        rows, y_hat = read_predictions(path, self.outcomes[name].seeds, self.panel)
        horizon = self.outcomes[name].horizon
        if rows.horizon != horizon:
            raise InputError(
                f"{path} forecasts {rows.horizon} steps ahead, but the horizon in runs.json is {horizon}. "
                "Delete the folder and run `dvc repro`."
            )
        known = self.rows.get(horizon)
        if known is None:
            rows.must_cover(path, len(self.panel.series), self.panel.n_steps, self.test_steps)
            self.rows[horizon], self._rows_of[horizon] = rows, name
            return rows, y_hat
        known.must_equal(rows, self._rows_of[horizon], name)
        return known, y_hat


def load_results(settings: Settings, root: Path = Path(), panel: Panel | None = None) -> Results:
    """Read the panel and the run records of the experiments that params.yaml declares.

    Folders of experiments that are no longer declared are not looked at.

    Parameters
    ----------
    settings, root
        params.yaml and the folder that holds `data`.
    panel
        The panel, where the caller has read what it needs of it already.

    Raises
    ------
    InputError
        For a missing or malformed file, seeds other than the declared ones, or runs on another panel.
    """
    data = root / "data"
    panel = panel or load_panel(data / "panel.parquet", data / "panel.json")
    runs = data / "runs"
    missing = [name for name in settings.experiments if not (runs / name / "runs.json").is_file()]
    if missing:
        raise InputError(
            f"{runs}: no runs.json for {', '.join(missing)}, which params.yaml declares under experiments. "
            "Run `dvc repro`, or take the experiment out of params.yaml."
        )
    outcomes = {
        name: _read_outcome(runs / name / "runs.json", name, settings) for name in settings.experiments
    }
    _check_one_panel(outcomes, panel)
    return Results(runs=runs, panel=panel, outcomes=outcomes, test_steps=settings.split.test_steps)


def _read_outcome(path: Path, name: str, settings: Settings) -> Outcome:
    content = load_runs(path)
    if content.experiment != name:
        raise InputError(
            f"{path} holds the runs of '{content.experiment}', not of '{name}'; the folder was renamed or "
            "copied. Delete it and run `dvc repro`."
        )
    records = tuple(sorted(content.runs, key=lambda run: run.seed))
    outcome = Outcome(name, content.label or name, content.model, records, content.settings)
    _check_seeds(path, outcome, settings)
    return outcome


def _declared_seeds(name: str, settings: Settings) -> list[int]:
    own: Any = settings.experiments[name].get("seeds")
    return sorted(own if own is not None else settings.seeds)


def _check_seeds(path: Path, outcome: Outcome, settings: Settings) -> None:
    """Refuse a seed twice, and any seed missing or extra: a gap nobody sees is a run nobody misses."""
    found = [record.seed for record in outcome.records]
    declared = _declared_seeds(outcome.name, settings)
    repeated = sorted({seed for seed in found if found.count(seed) > 1})
    if repeated:
        raise InputError(f"{path} has more than one run of seed {repeated}; each seed is one run.")
    as_declared = len(found) == 1 and found[0] in declared if outcome.deterministic else found == declared
    if not as_declared:
        raise InputError(
            f"{path} has the seeds {found}, but params.yaml declares {declared} for '{outcome.name}'"
            f"{' (deterministic: one run is enough)' if outcome.deterministic else ''}. Run `dvc repro`."
        )


def _check_one_panel(outcomes: dict[str, Outcome], panel: Panel) -> None:
    others = sorted(
        name
        for name, outcome in outcomes.items()
        if any(record.panel_sha256 != panel.info.sha256 for record in outcome.records)
    )
    if others:
        raise InputError(
            f"data/runs: {', '.join(others)} ran on another panel than data/panel.parquet "
            f"(SHA-256 {panel.info.sha256[:12]}...), and scores on different data cannot be compared. "
            "Run `dvc repro`."
        )


def period_names(dates: NDArray[np.datetime64]) -> list[str]:
    """Return period starts as text: the date, with the time only where periods are shorter than a day."""
    index = pd.DatetimeIndex(dates)
    short = bool((index != index.normalize()).any())
    return list(index.strftime("%Y-%m-%d %H:%M" if short else "%Y-%m-%d"))
