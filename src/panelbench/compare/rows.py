"""The test rows of stored forecasts: which series, period and step each value belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from panelbench.errors import InputError
from panelbench.panel.panel import Panel

Float = NDArray[np.float64]
Int = NDArray[np.int64]
KINDS = {"unique_id": "OTU", "ds": "M", "origin": "M", "step": "iu", "seed": "iu", "y": "f", "y_hat": "f"}
"""Columns of predictions.parquet and the numpy kinds that each may have."""
COLUMNS = list(KINDS)


@dataclass(frozen=True)
class Rows:
    """The n test rows, sorted by series, target period and step.

    Attributes
    ----------
    series
        (n,) index into `names`.
    period
        (n,) index into `dates`, the target periods of the test block.
    step
        (n,) steps ahead, from 1.
    y
        (n,) actual value in the target's unit.
    names
        (S,) all series of the panel.
    dates
        (W,) target periods, ascending.
    start
        Index of the first target period on the panel's time axis: everything before is the past.
    """

    series: Int
    period: Int
    step: Int
    y: Float
    names: tuple[str, ...]
    dates: NDArray[np.datetime64]
    start: int

    @property
    def n(self) -> int:
        """Number of test rows."""
        return self.y.size

    @property
    def horizon(self) -> int:
        """Largest number of steps ahead."""
        return int(self.step.max())

    def must_cover(self, path: Path, n_series: int, n_steps: int, test_steps: int) -> None:
        """Refuse forecasts of a part of the test block: what is not scored cannot be wrong.

        Raises
        ------
        InputError
            Naming the file, and the rows and the first period there are and there must be.
        """
        expected = n_series * (test_steps - self.horizon + 1) * self.horizon
        if self.n != expected or self.start != n_steps - test_steps:
            raise InputError(
                f"{path} has forecasts of {self.n:,} rows from {_moment(self.dates[0])} on, but "
                f"the test block is the last {test_steps} periods of {n_series} series: {expected:,} rows. "
                "Delete the folder and run `dvc repro`."
            )

    def must_equal(self, other: Rows, name: str, other_name: str) -> None:
        """Refuse a comparison over different test rows.

        Raises
        ------
        InputError
            Naming both experiments and what their rows are.
        """
        same = self.n == other.n and all(
            np.array_equal(getattr(self, key), getattr(other, key))
            for key in ("series", "period", "step", "dates")
        )
        if not same:
            raise InputError(
                f"data/runs: '{name}' ({self._extent()}) and '{other_name}' ({other._extent()}) were scored "
                "on different test rows, and errors over different rows cannot be compared. Delete both "
                "folders and run `dvc repro`."
            )

    def _extent(self) -> str:
        first, last = _moment(self.dates[0]), _moment(self.dates[-1])
        n_series = np.unique(self.series).size
        return f"{self.n:,} rows, {n_series:,} series, {first} to {last}, horizon {self.horizon}"


def _moment(date: np.datetime64) -> str:
    """Return a date as 2024-01-29, with the time of day only where there is one."""
    return str(pd.Timestamp(date)).removesuffix(" 00:00:00")


def read_predictions(path: Path, seeds: tuple[int, ...], panel: Panel) -> tuple[Rows, Float]:
    """Read one predictions.parquet and hold it against the panel and the seeds that finished.

    Returns
    -------
    rows
        The n rows, the same for every seed.
    y_hat
        (R, n) forecasts in the order of `seeds`.

    Raises
    ------
    InputError
        If the file is absent, unreadable or lacks a column; if a seed, series or period is unknown,
        missing or doubled; if a forecast is not finite or an actual value is not the panel's.
    """
    frame = _read(path)
    found = tuple(int(seed) for seed in np.unique(frame["seed"].to_numpy()))
    if found != seeds:
        raise InputError(
            f"{path} holds forecasts of the seeds {list(found)}, but runs.json says that {list(seeds)} "
            "finished. Delete the folder and run `dvc repro`."
        )
    series, period, step = _locate(path, frame, panel)
    rank = np.searchsorted(seeds, frame["seed"].to_numpy(np.int64))
    order = _one_block_a_seed(path, seeds, rank, (series * panel.n_steps + period) * (step.max() + 1) + step)
    y, y_hat = (frame[column].to_numpy(np.float64)[order] for column in ("y", "y_hat"))
    one = order[0]
    _check_values(path, y, y_hat, panel.y[series[one], period[one]])
    axis = np.unique(period)
    rows = Rows(
        series=series[one],
        period=np.searchsorted(axis, period[one]).astype(np.int64),
        step=step[one],
        y=y[0],
        names=panel.series,
        dates=panel.dates[axis],
        start=int(axis[0]),
    )
    return rows, y_hat


def _locate(path: Path, frame: pd.DataFrame, panel: Panel) -> tuple[Int, Int, Int]:
    """Return series and target period as positions in the panel, and the step ahead, of every row."""
    series = pd.Index(panel.series).get_indexer(pd.Index(frame["unique_id"])).astype(np.int64)
    period, origin = (_on_axis(frame[column], panel) for column in ("ds", "origin"))
    step = frame["step"].to_numpy(np.int64)
    if (series < 0).any() or (period < 0).any() or (origin != period - step).any() or (step < 1).any():
        raise InputError(
            f"{path} has rows that are not the panel's: an unknown series or period, or a target period that "
            "is not `step` periods after its origin. Delete the folder and run `dvc repro`."
        )
    return series, period, step


def _one_block_a_seed(path: Path, seeds: tuple[int, ...], rank: Int, key: Int) -> Int:
    """Return the (R, n) positions of the rows, sorted by key within each seed; `rank` is the seed's place."""
    whole = rank * (int(key.max()) + 1) + key
    in_order = bool((np.diff(whole) > 0).all())  # as written; sorting millions of rows again would be slow
    order = np.arange(whole.size) if in_order else np.argsort(whole, kind="stable")
    covered = key[order]
    if covered.size % len(seeds) or (np.diff(covered.reshape(len(seeds), -1), axis=0) != 0).any():
        raise InputError(
            f"{path}: the seeds {list(seeds)} do not cover the same rows. Run `dvc repro --force`."
        )
    if (np.diff(covered.reshape(len(seeds), -1)[0]) <= 0).any():
        raise InputError(
            f"{path} has a row twice (same seed, series, period and step). Run `dvc repro --force`."
        )
    return order.reshape(len(seeds), -1)


def _read(path: Path) -> pd.DataFrame:
    try:
        frame = pd.read_parquet(path, columns=COLUMNS)
    except FileNotFoundError as error:
        raise InputError(
            f"{path} is not there, though runs.json says that seeds finished. Run `dvc repro`."
        ) from error
    except (OSError, ValueError) as error:  # pyarrow's own errors derive from these two
        raise InputError(
            f"{path} cannot be read as forecasts ({str(error).splitlines()[0]}); needed are the columns "
            f"{', '.join(COLUMNS)}. Delete the folder and run `dvc repro`."
        ) from error
    wrong = [name for name, kinds in KINDS.items() if frame[name].dtype.kind not in kinds]
    if wrong:
        found = ", ".join(f"{name} ({frame[name].dtype})" for name in wrong)
        raise InputError(
            f"{path}: these columns have another type than written: {found}. Run `dvc repro --force`."
        )
    if frame.empty:
        raise InputError(f"{path} has no rows. Delete the folder and run `dvc repro`.")
    return frame


def _on_axis(column: pd.Series, panel: Panel) -> Int:
    """Return positions on the panel's time axis; -1 for a date that is not on it."""
    axis = pd.DatetimeIndex(panel.dates)
    return axis.get_indexer(pd.DatetimeIndex(column).as_unit(axis.unit)).astype(np.int64)


def _check_values(path: Path, y: Float, y_hat: Float, actual: Float) -> None:
    bad = int((~np.isfinite(y_hat)).sum())
    if bad:
        raise InputError(
            f"{path} has {bad:,} forecasts that are not finite numbers; such a seed counts as failed and "
            "must be recorded so. Run `dvc repro --force`."
        )
    if not np.allclose(y, actual, rtol=1e-9, atol=0.0):
        raise InputError(
            f"{path}: the column y is not the panel's value for the same series and period, so the forecasts "
            "belong to other data. Delete the folder and run `dvc repro`."
        )
