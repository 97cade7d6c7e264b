"""The files one run writes: predictions, loss history, attention weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from panelbench.data.task import Task
from panelbench.data.windows import Windows
from panelbench.files import replacing, write_npz, write_text
from panelbench.models.base import Attends, EpochRecord, Forecaster
from panelbench.panel import Panel

HISTORY_HEADER = "seed,epoch,updates,train_loss,valid_loss,train_rmse,valid_rmse"
MAX_ATTENTION_LOOKBACK = 512
"""Longest lookback whose attention is stored: one matrix is 1 MiB there, and grows with the square."""
SCHEMA = pa.schema(
    [
        ("unique_id", pa.string()),
        ("ds", pa.timestamp("ns")),
        ("origin", pa.timestamp("ns")),
        ("step", pa.int64()),
        ("seed", pa.int64()),
        ("y", pa.float64()),
        ("y_hat", pa.float64()),
    ]
)
"""Of predictions.parquet, whatever wrote it and however many rows it has."""


def write_predictions(
    path: Path, panel: Panel, task: Task, predicted: NDArray[np.floating], seed: int
) -> None:
    """Write one row a series, target period and step, sorted by series, period and step.

    Parameters
    ----------
    predicted
        (n_test, H) in the panel's unit.
    """
    test = task.test
    horizon = test.horizon
    series = np.repeat(test.series, horizon)
    step = np.tile(np.arange(1, horizon + 1), len(test))
    ds = test.target_dates().ravel()
    order = np.lexsort((step, ds, series))
    names = pa.DictionaryArray.from_arrays(pa.array(series[order]), pa.array(panel.series, pa.string()))
    columns = {
        "unique_id": names.cast(pa.string()),
        "ds": ds[order].astype("datetime64[ns]"),
        "origin": np.repeat(test.known.dates[test.origin], horizon)[order].astype("datetime64[ns]"),
        "step": step[order],
        "seed": np.full(len(order), seed, dtype=np.int64),
        "y": task.truth.ravel()[order],
        "y_hat": predicted.astype(np.float64).ravel()[order],
    }
    with replacing(path) as temporary:
        pq.write_table(pa.table(columns, schema=SCHEMA), temporary, compression="zstd")


def write_history(path: Path, history: Sequence[EpochRecord], seed: int) -> None:
    """Write one line an epoch, every digit kept; the header alone for a model without epochs."""
    lines = [HISTORY_HEADER]
    for epoch in history:
        losses = (epoch.train_loss, epoch.valid_loss, epoch.train_rmse, epoch.valid_rmse)
        texts = ["" if loss is None else repr(float(loss)) for loss in losses]
        lines.append(",".join([str(seed), str(epoch.epoch), str(epoch.updates), *texts]))
    write_text(path, "\n".join(lines) + "\n")


def choose_examples(test: Windows) -> NDArray[np.int64]:
    """Return the rows of the named example windows, by a rule that looks at no forecast.

    The series with the largest, the median and the smallest mean over what was known at the first test
    origin, each at the first and the last test origin.
    """
    first, last = int(test.origin.min()), int(test.origin.max())
    level = test.known.y[:, : first + 1].mean(axis=1)
    ranked = np.argsort(-level, kind="stable")
    chosen = dict.fromkeys(int(ranked[place]) for place in (0, len(ranked) // 2, len(ranked) - 1))
    rows = [
        np.flatnonzero((test.series == series) & (test.origin == origin))
        for series in chosen
        for origin in dict.fromkeys((first, last))
    ]
    return np.concatenate(rows).astype(np.int64)


def write_attention(path: Path, model: Forecaster, panel: Panel, task: Task) -> None:
    """Write a Transformer's attention; nothing for other models.

    `weights` (layers, heads, L, L) is the mean over all test windows, `example_weights`
    (n_examples, layers, heads, L, L) is that of the example windows, named by `example_series` and
    `example_origin`; L counts tokens: periods, or patches. `entropy` and `entropy_unscaled`
    (layers, heads) are means over all test windows of the rows' entropy divided by log(L), as the network
    looks and with 1 / sqrt(d_k) taken out. A lookback above `MAX_ATTENTION_LOOKBACK` leaves no file.
    """
    test = task.test
    if not isinstance(model, Attends) or test.lookback > MAX_ATTENTION_LOOKBACK:
        return
    examples = test.take(choose_examples(test))
    entropy, unscaled = model.attention_entropy(test)
    origins = test.known.dates[examples.origin]
    by_the_clock = test.known.dates.astype("datetime64[D]") != test.known.dates
    arrays: dict[str, np.ndarray] = {
        "weights": model.attention(test).astype(np.float32),
        "entropy": entropy,
        "entropy_unscaled": unscaled,
        "example_weights": model.attention_of_each(examples).astype(np.float32),
        "example_series": np.array([panel.series[index] for index in examples.series]),
        "example_origin": np.datetime_as_string(origins, unit="m" if by_the_clock.any() else "D"),
    }
    write_npz(path, arrays)
