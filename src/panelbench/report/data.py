"""Everything the report shows of the declared experiments, from the files of the stages before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from panelbench.compare.runs import Results, RunRecord
from panelbench.compare.schema import Comparison, Experiment
from panelbench.config import Settings
from panelbench.data.split import Split
from panelbench.files import read_json
from panelbench.panel.panel import Panel
from panelbench.report.colours import BASELINES, Look, looks
from panelbench.report.naming import Naming
from panelbench.report.stored import Attention, Lines, read_attention, read_errors, read_lines

Float = NDArray[np.float64]

NETWORKS = (
    "ffn", "rnn", "lstm", "cnn", "transformer", "transformer_decoder", "transformer_encoder_decoder",
    "conv_transformer", "dlinear", "linear",
)  # fmt: skip
"""Models trained by epochs, also where a history is missing."""


@dataclass
class ReportData(Naming):
    """The report's material. Forecasts and histories are read when a section asks for them.

    Attributes
    ----------
    root
        The repository's root.
    settings
        params.yaml.
    results
        Panel (its target only) and run records.
    events
        (T,) periods in which most series have an event.
    comparison
        reports/comparison.json.
    audit
        reports/audit.json, or None where the audit did not run.
    whole
        The whole of comparison.json where `comparison` is one of its other tasks.
    """

    root: Path
    settings: Settings
    results: Results
    events: NDArray[np.bool_]
    comparison: Comparison
    audit: dict[str, Any] | None
    whole: Comparison | None = None

    @property
    def panel(self) -> Panel:
        """The panel that was forecast."""
        return self.results.panel

    @cached_property
    def split(self) -> Split:
        """Where the panel's time axis was cut."""
        block = self.settings.split
        return Split.cut(self.panel.n_steps, block.test_steps, block.validation_steps)

    @property
    def declared(self) -> dict[str, Experiment]:
        """Every declared experiment, of whatever task, in the order of params.yaml."""
        known = (self.whole or self.comparison).experiments
        return {name: known[name] for name in self.settings.experiments if name in known}

    @property
    def others(self) -> list[ReportData]:
        """The material of the other tasks, each with its own comparison; none inside one of them."""
        return [replace(self, comparison=one, whole=self.comparison) for one in self.comparison.others]

    @property
    def leaky(self) -> dict[str, Experiment]:
        """The task's experiments whose split leaks, in order of error: shown, never ranked."""
        return {name: self.comparison.experiments[name] for name in self.comparison.leaky}

    @property
    def suffix(self) -> str:
        """What tells this task's figures and anchors from those of the main task."""
        return "" if self.whole is None else f"-{self.comparison.task.id.replace('_', '-')}"

    @property
    def experiments(self) -> dict[str, Experiment]:
        """The task's experiments in order of error, failed ones at the end; no leaky ones."""
        return {name: self.comparison.experiments[name] for name in self.comparison.order}

    @property
    def finished(self) -> dict[str, Experiment]:
        """Experiments with a finished seed, in order of error."""
        return {name: entry for name, entry in self.experiments.items() if entry.n_ok}

    @cached_property
    def looks(self) -> dict[str, Look]:
        """Colour, marker and line of every experiment, fixed by its place in params.yaml."""
        return looks({name: entry.model for name, entry in self.declared.items()})

    @property
    def baselines(self) -> list[str]:
        """Finished experiments without anything to learn, in order of error."""
        return [name for name, entry in self.finished.items() if entry.model in BASELINES]

    @property
    def learned(self) -> list[str]:
        """Finished experiments with something to learn, in order of error."""
        return [name for name, entry in self.finished.items() if entry.model not in BASELINES]

    @property
    def networks(self) -> list[str]:
        """Finished experiments trained by epochs, in order of error."""
        return [
            name for name, entry in self.finished.items() if entry.model in NETWORKS or self.has_history(name)
        ]

    @property
    def best(self) -> str | None:
        """The experiment with the lowest mean RMSE."""
        return next(iter(self.finished), None)

    def rmse(self, name: str) -> Float:
        """(R,) pooled RMSE of each finished seed."""
        return np.array(
            [value for value in self.comparison.experiments[name].scores["rmse"] if value is not None]
        )

    def mean(self, name: str) -> float:
        """Mean RMSE over finished seeds."""
        return float(self.comparison.experiments[name].metrics["rmse"].mean or 0.0)

    def sd(self, name: str) -> float | None:
        """Return the standard deviation of the RMSE over seeds; None for one seed."""
        return self.comparison.experiments[name].metrics["rmse"].sd

    def repeated(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of finished seeds, ascending, of those experiments that have several."""
        return sorted({count for name in names if (count := self.experiments[name].n_ok) > 1})

    def records(self, name: str) -> tuple[RunRecord, ...]:
        """Return the experiment's run records by seed, failed ones included."""
        return self.results.outcomes[name].records

    def seconds(self, name: str) -> float | None:
        """Mean seconds of one fit over finished seeds."""
        times = [
            record.seconds_fit
            for record in self.results.outcomes[name].finished
            if record.seconds_fit is not None
        ]
        return float(np.mean(times)) if times else None

    def run_settings(self, name: str) -> dict[str, Any]:
        """Return the experiment's resolved settings as runs.json holds them."""
        return dict(read_json(self.root / "data" / "runs" / name / "runs.json").get("settings") or {})

    def by_series(self, names: Sequence[str]) -> dict[str, Float]:
        """(S,) RMSE of each series, mean over seeds, of each experiment named."""
        return read_errors(self._folder / "by_series.csv", names, self.panel.n_series)

    def by_period(self, names: Sequence[str]) -> dict[str, Float]:
        """(W,) RMSE of each target period over all series, mean over seeds, of each experiment named."""
        return read_errors(self._folder / "by_period.csv", names, self.test_dates.size)

    @property
    def _folder(self) -> Path:
        """Folder of the task's own tables."""
        reports = self.root / "reports"
        return reports if self.whole is None else reports / "tasks" / self.comparison.task.id

    @property
    def test_dates(self) -> NDArray[np.datetime64]:
        """(W,) target periods."""
        return self.panel.dates[self.split.valid_end :]

    def lines(self, name: str, series: Iterable[int]) -> Lines:
        """Return forecasts of some series (by their place in the panel), one a target period.

        Of several steps ahead, those are read that were made at the first test origin and whenever the steps
        of the last ones were over.
        """
        path = self.root / "data" / "runs" / name / "predictions.parquet"
        return read_lines(path, [self.panel.series[index] for index in series], self.origins)

    @property
    def origins(self) -> NDArray[np.datetime64]:
        """(K,) test origins, a horizon apart, of which every target lies in the test block."""
        horizon = self.comparison.test.horizon
        return self.panel.dates[self.split.valid_end - 1 : self.panel.n_steps - horizon : horizon]

    def has_history(self, name: str) -> bool:
        """Whether the experiment recorded epochs."""
        return not self.history(name).empty

    def history(self, name: str) -> pd.DataFrame:
        """Loss by seed and epoch (columns of history.csv); empty for a model without epochs."""
        if name not in self._histories:
            path = self.root / "data" / "runs" / name / "history.csv"
            self._histories[name] = pd.read_csv(path) if path.is_file() else pd.DataFrame()
        return self._histories[name]

    @cached_property
    def _histories(self) -> dict[str, pd.DataFrame]:
        return {}

    def attention(self, name: str) -> Attention | None:
        """Return the experiment's attention weights, or None where the model has none."""
        return read_attention(self.root / "data" / "runs" / name / "attention.npz")
