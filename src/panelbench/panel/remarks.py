"""What the reader must know of a panel's columns: those that cannot teach a model anything of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from panelbench.panel.draft import Draft

NEARLY = 1e-5
"""Share of its size by which a column must vary to be seen in single precision, which has seven digits."""
DEPENDENT = 1e-8
"""Share of a column's spread that the others may leave unexplained for it to count as their sum."""
MOST_COLUMNS = 200
"""Covariates above which dependence is not looked for: it takes their number squared."""


def about_columns(draft: Draft, frame: pd.DataFrame) -> tuple[str, ...]:
    """Return remarks on constant columns, columns that hardly vary, and columns that others add up to."""
    covariates = [*draft.past, *draft.future]
    found = []
    constant = [name for name in covariates if frame[name].min() == frame[name].max()]
    if constant:
        found.append(f"Constant, so that no model can learn from it: {_listed(constant)}.")
    flat = [name for name in ("y", *covariates) if name not in constant and _hardly_varies(frame[name])]
    if flat:
        shown = [draft.target_name if name == "y" else name for name in flat]
        found.append(
            f"Varies by less than {NEARLY:g} of its size, which single precision hardly sees: "
            f"{_listed(shown)}. Taking a constant off it helps."
        )
    moving = [name for name in covariates if name not in constant]
    dependent = _dependent(frame, moving) if len(moving) <= MOST_COLUMNS else []
    if dependent:
        found.append(
            f"Follows exactly from the covariates before it: {_listed(dependent)}. Forecasts are not harmed, "
            "but a linear model's coefficients are not unique."
        )
    return tuple(found)


def _hardly_varies(values: pd.Series) -> bool:
    low, high = float(values.min()), float(values.max())
    return low < high and high - low < NEARLY * max(abs(low), abs(high))


def _dependent(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return the columns that are a constant plus multiples of the columns before them.

    Gram-Schmidt, one column after the other: what is left of each after the earlier ones are taken out.
    """
    basis: list[NDArray[np.float64]] = []
    found = []
    for name in names:
        column = frame[name].to_numpy(np.float64)
        column = column - column.mean()
        size = float(np.linalg.norm(column))
        rest = column / size
        for _ in range(2):  # twice is enough to lose no digits
            for one in basis:
                rest = rest - (one @ rest) * one
        left = float(np.linalg.norm(rest))
        if left < DEPENDENT:
            found.append(name)
        else:
            basis.append(rest / left)
    return found


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
