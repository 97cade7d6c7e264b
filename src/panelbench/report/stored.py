"""Read of the stored files what the report shows and no more, so that a large panel fits into memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from panelbench.errors import InputError
from panelbench.panel.panel import Panel, load_info

Float = NDArray[np.float64]
COMMON = 0.5
"""Share of the series that must have an event for a period to be marked."""


@dataclass(frozen=True)
class Attention:
    """A Transformer's stored attention weights; rows are the positions that look, columns those looked at.

    Attributes
    ----------
    weights
        (R, layers, heads, L, L) mean over all test windows, one a finished seed.
    seeds
        (R,) seeds.
    example_weights
        (n, layers, heads, L, L) of single windows, first seed.
    example_series, example_origin
        (n,) their series and last observed period, as text.
    entropy, entropy_unscaled
        (R, layers, heads) mean entropy of a row of weights as a share of the largest possible one, log L; and
        that of the same scores without the division by the square root of a head's width. None where the file
        has neither.
    """

    weights: NDArray[np.float32]
    seeds: NDArray[np.int64]
    example_weights: NDArray[np.float32]
    example_series: tuple[str, ...]
    example_origin: tuple[str, ...]
    entropy: Float | None = None
    entropy_unscaled: Float | None = None


@dataclass(frozen=True)
class Lines:
    """Forecasts of some series, one a target period, mean over seeds.

    Attributes
    ----------
    dates
        (W,) target periods.
    y_hat
        (S, W) in the order of the series asked for; NaN where a series has no forecast of a period.
    """

    dates: NDArray[np.datetime64]
    y_hat: Float


def read_panel(root: Path) -> tuple[Panel, NDArray[np.bool_]]:
    """Read the panel's target, without covariates, and in which periods most series have an event.

    Returns
    -------
    panel
        With every series and period of the target; no covariates.
    events
        (T,) whether the event column is above zero in half the series or more; all False where the panel has
        no such column, or where every period has one.

    Raises
    ------
    InputError
        If a file is absent or the parquet is not the one panel.json describes.
    """
    path = root / "data" / "panel.parquet"
    info = load_info(path, root / "data" / "panel.json")
    steps, count = info.n_steps, info.n_series
    file = pq.ParquetFile(path, read_dictionary=["unique_id"])
    names = file.read(["unique_id"])["unique_id"].take(pa.array(np.arange(count) * steps)).to_pylist()
    y = file.read(["y"])["y"].to_numpy().astype(np.float64, copy=False).reshape(count, steps)
    dates = next(file.iter_batches(steps, columns=["ds"])).column(0).to_numpy(zero_copy_only=False)
    events = np.zeros(steps, dtype=bool)
    if info.event_column in info.future:
        values = file.read([info.event_column])[info.event_column].to_numpy()
        events = np.asarray((values.reshape(count, steps) > 0).mean(axis=0) >= COMMON)
    none = np.empty((count, steps, 0))
    panel = Panel(
        info=info,
        series=tuple(map(str, names)),
        dates=dates.astype("datetime64[ns]"),
        y=y,
        past=none,
        future=none,
        static=pd.DataFrame(index=range(count)),
    )
    return panel, events if not events.all() else np.zeros(steps, dtype=bool)


def read_errors(path: Path, names: Sequence[str], count: int) -> dict[str, Float]:
    """Read the column `rmse` of by_series.csv or by_period.csv.

    Parameters
    ----------
    names
        Experiments.
    count
        Rows that each of them must have.

    Returns
    -------
    (count,) errors by experiment, in the file's order: the panel's series, or target periods.

    Raises
    ------
    InputError
        If the file is absent or has other rows.
    """
    try:
        found = pd.read_csv(path, usecols=["experiment", "rmse"], dtype={"experiment": str, "rmse": float})
    except (FileNotFoundError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error}). Run `dvc repro --force compare`.") from error
    errors = {name: found["rmse"].to_numpy()[found["experiment"].to_numpy() == name] for name in names}
    wrong = [name for name, values in errors.items() if values.size != count]
    if wrong:
        raise InputError(
            f"{path} has {errors[wrong[0]].size} rows of '{wrong[0]}' and should have {count}. "
            "Run `dvc repro --force compare`."
        )
    return errors


def evenly(count: int, most: int) -> NDArray[np.int64]:
    """Return at most `most` of the numbers 0 to `count` - 1, evenly spaced, the ends included."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


def read_lines(path: Path, series: Sequence[str], origins: NDArray[np.datetime64]) -> Lines:
    """Read the forecasts of some series made at some origins from a predictions.parquet.

    Parameters
    ----------
    series
        Names.
    origins
        (K,) last observed periods, at least a horizon apart, so that each target period has one forecast.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    made = pa.array(origins.astype("datetime64[ns]"))
    chosen = pc.field("unique_id").isin(pa.array(series, pa.string())) & pc.field("origin").isin(made)
    try:
        found = pq.read_table(path, columns=["unique_id", "ds", "y_hat"], filters=chosen).to_pandas()
    except (OSError, ValueError) as error:  # pyarrow's own errors derive from these two
        raise InputError(
            f"{path} cannot be read as forecasts ({str(error).splitlines()[0]}). Delete the folder and run "
            "`dvc repro`."
        ) from error
    mean = found.pivot_table(index="unique_id", columns="ds", values="y_hat", aggfunc="mean", observed=True)
    return Lines(
        mean.columns.to_numpy("datetime64[ns]"), mean.reindex(list(series)).to_numpy(dtype=np.float64)
    )


def read_attention(path: Path) -> Attention | None:
    """Read an experiment's attention weights, or None where the model has none.

    Raises
    ------
    InputError
        If the file is damaged.
    """
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as stored:
            return Attention(
                weights=stored["weights"],
                seeds=stored["seeds"].astype(np.int64),
                example_weights=stored["example_weights"],
                example_series=tuple(str(name) for name in stored["example_series"]),
                example_origin=tuple(str(name) for name in stored["example_origin"]),
                entropy=stored["entropy"].astype(np.float64) if "entropy" in stored else None,
                entropy_unscaled=(
                    stored["entropy_unscaled"].astype(np.float64) if "entropy_unscaled" in stored else None
                ),
            )
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            f"{path} cannot be read as attention weights ({error}). Run `dvc repro --force "
            f"train@{path.parent.name}`."
        ) from error
