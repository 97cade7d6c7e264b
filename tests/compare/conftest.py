"""Scores made by hand, without a tree on disk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from panelbench.compare.metrics import Scores


def build(
    name: str,
    rmse: list[float] | np.ndarray,
    seeds: tuple[int, ...] | None = None,
    deterministic: bool = False,
    squared: np.ndarray | None = None,
    scaled: np.ndarray | None = None,
    horizon: int = 1,
    leaks: bool = False,
) -> Scores:
    """Scores of R seeds; `squared` is (R, W), by default the RMSE squared in each of 8 periods."""
    values = np.asarray(rmse, dtype=float)
    if squared is None:
        squared = np.repeat(values[:, None] ** 2, 8, axis=1)
    scaled = np.repeat(values[:, None], 3, axis=1) if scaled is None else scaled
    return Scores(
        name=name,
        seeds=seeds or tuple(range(values.size)),
        deterministic=deterministic,
        values={"mse": values**2, **dict.fromkeys(("rmse", "mae", "wape", "rmsse", "bias"), values)},
        squared=squared,
        rows_by_period=np.ones(squared.shape[1]),
        squared_by_series=scaled**2,
        scaled=scaled,
        rmse_by_step=np.repeat(values[:, None], horizon, axis=1),
        mae_by_step=np.repeat(values[:, None], horizon, axis=1),
        rows_by_step=np.ones(horizon),
        leaks=leaks,
    )


@pytest.fixture
def make_scores() -> Callable[..., Scores]:
    return build
