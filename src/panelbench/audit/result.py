"""The outcome of one check, as it stands in audit.json and in the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes
    ----------
    disturbed
        What was changed, in words.
    must_hold
        What must not move, or must be true.
    detail
        What was found, in words.
    n
        How many numbers or windows were compared.
    """

    id: str
    title: str
    disturbed: str
    must_hold: str
    passed: bool
    detail: str
    n: int


def differing(before: Sequence[NDArray[Any]], after: Sequence[NDArray[Any]]) -> tuple[int, int]:
    """Return how many numbers were compared bit for bit, and how many differ; a new shape differs whole."""
    compared = moved = 0
    for old, new in zip(before, after, strict=True):
        compared += old.size
        if old.shape != new.shape:
            moved += max(old.size, new.size)
        else:
            same = (old == new) | (_missing(old) & _missing(new))
            moved += int((~same).sum())
    return compared, moved


def _missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    kind: NDArray[np.bool_] = (
        np.isnan(values) if np.issubdtype(values.dtype, np.floating) else np.zeros(values.shape, bool)
    )
    return kind
