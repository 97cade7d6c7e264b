"""What a run leaves beside its forecasts: made-up losses by epoch and attention weights."""

from __future__ import annotations

import numpy as np
import pandas as pd


def history(seeds: list[int], epochs: int) -> pd.DataFrame:
    """Return the content of history.csv."""
    rows = [
        {
            "seed": seed,
            "epoch": epoch,
            "updates": epoch * 4,
            "train_loss": 1 / epoch,
            "valid_loss": 1.2 / epoch,
            "train_rmse": 100 / epoch,
            "valid_rmse": 120 / epoch,
        }
        for seed in seeds
        for epoch in range(1, epochs + 1)
    ]
    columns = ["seed", "epoch", "updates", "train_loss", "valid_loss", "train_rmse", "valid_rmse"]
    return pd.DataFrame(rows, columns=columns)


def attention(
    seeds: list[int],
    series: list[str],
    dates: pd.DatetimeIndex,
    seed: int,
    *,
    layers: int = 2,
    heads: int = 4,
    length: int = 13,
) -> dict[str, np.ndarray]:
    """Return the content of attention.npz; `seed` is that of the made-up numbers."""
    rng = np.random.default_rng(seed)

    def maps(*leading: int) -> np.ndarray:
        raw = rng.random((*leading, layers, heads, length, length), dtype=np.float32)
        return raw / raw.sum(axis=-1, keepdims=True)

    return {
        "weights": maps(len(seeds)),
        "seeds": np.asarray(seeds),
        "entropy": 0.7 + 0.2 * rng.random((len(seeds), layers, heads)),
        "entropy_unscaled": 0.3 + 0.2 * rng.random((len(seeds), layers, heads)),
        "example_weights": maps(2),
        "example_series": np.asarray(series[:2]),
        "example_origin": np.datetime_as_string(dates[-3:-1].to_numpy(), unit="m"),
    }
