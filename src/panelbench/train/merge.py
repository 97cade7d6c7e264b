"""Put the parts of an experiment's seeds together, in one order whatever order they finished in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from panelbench.errors import RunFailure
from panelbench.files import replacing, write_npz, write_text
from panelbench.train.job import ATTENTION, HISTORY, PREDICTIONS
from panelbench.train.parts import HISTORY_HEADER, SCHEMA

ROW_COLUMNS = ["unique_id", "ds", "origin", "step", "y"]
"""What must be the same in every seed's predictions."""
BY_SEED = ("weights", "entropy", "entropy_unscaled")
"""What attention.npz has one of for each seed."""


def merge_parts(folders: Sequence[Path], seeds: Sequence[int], target: Path) -> None:
    """Write predictions.parquet, history.csv and, where there is attention, attention.npz.

    Parameters
    ----------
    folders, seeds
        One a finished run, by ascending seed; both may be empty.
    target
        An existing folder.

    Raises
    ------
    RunFailure
        If two seeds' predictions are not for the same rows: the panel changed while they ran.
    """
    _merge_predictions(folders, target / PREDICTIONS)
    _merge_history(folders, target / HISTORY)
    _merge_attention(folders, seeds, target / ATTENTION)


def _merge_predictions(folders: Sequence[Path], path: Path) -> None:
    """Write one row group a seed, so that no more than two seeds' rows are in memory."""
    first = None
    with replacing(path) as temporary, pq.ParquetWriter(temporary, SCHEMA, compression="zstd") as writer:
        for folder in folders:
            table = pq.read_table(folder / PREDICTIONS, schema=SCHEMA)
            rows = table.select(ROW_COLUMNS)
            first = rows if first is None else first
            if not rows.equals(first):
                raise RunFailure(
                    f"{path}: the seeds did not predict the same rows, so the panel changed while they ran. "
                    "Run `dvc repro` again."
                )
            writer.write_table(table)


def _merge_history(folders: Sequence[Path], path: Path) -> None:
    lines = [HISTORY_HEADER]
    for folder in folders:
        lines += (folder / HISTORY).read_text("utf-8").splitlines()[1:]
    write_text(path, "\n".join(lines) + "\n")


def _merge_attention(folders: Sequence[Path], seeds: Sequence[int], path: Path) -> None:
    """Stack what each seed has by itself; the example windows are those of the first finished seed."""
    having = [
        (folder, seed) for folder, seed in zip(folders, seeds, strict=True) if (folder / ATTENTION).exists()
    ]
    if not having:
        return
    stacked: dict[str, list[np.ndarray]] = {name: [] for name in BY_SEED}
    examples: dict[str, np.ndarray] = {}
    for folder, _ in having:
        with np.load(folder / ATTENTION, allow_pickle=False) as arrays:
            for name, parts in stacked.items():
                parts.append(arrays[name])
            examples = examples or {name: arrays[name] for name in arrays if name.startswith("example_")}
    by_seed = {name: np.stack(parts) for name, parts in stacked.items()}
    write_npz(path, {**by_seed, "seeds": np.array([seed for _, seed in having]), **examples})
