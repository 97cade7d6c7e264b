"""Checks that every model makes before it learns or forecasts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panelbench.data import Windows
from panelbench.errors import InputError


@dataclass(frozen=True)
class Shape:
    """What windows look like; a model forecasts windows like those it was fitted on."""

    lookback: int
    horizon: int
    channels: tuple[str, ...]

    @classmethod
    def of(cls, windows: Windows) -> Shape:
        """Return the shape of some windows."""
        return cls(windows.lookback, windows.horizon, windows.channel_names)

    def require(self, windows: Windows) -> None:
        """Refuse windows of another shape.

        Raises
        ------
        ValueError
            Naming both shapes.
        """
        found = Shape.of(windows)
        if found != self:
            raise ValueError(f"the model was fitted on windows of {self}; these have {found}")

    def __str__(self) -> str:
        return f"lookback {self.lookback}, horizon {self.horizon}, channels {', '.join(self.channels)}"


def require_finite(windows: Windows) -> None:
    """Refuse values that are not finite in anything the windows may read.

    Raises
    ------
    InputError
        Naming the column, how many values are bad, and the first one's series (by index) and period.
    """
    known = windows.known
    columns = [("y", known.y)]
    columns += [(name, known.past[:, :, i]) for i, name in enumerate(known.info.past)]
    columns += [(name, known.future[:, :, i]) for i, name in enumerate(known.info.future)]
    for name, values in columns:
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            row, step = bad[0]
            series = row if known.source is None else known.source[row]
            date = known.dates[step if known.start is None else known.start[row] + step]
            period = str(np.datetime_as_string(date, unit="m")).removesuffix("T00:00")
            raise InputError(
                f"The panel's column '{name}' has {len(bad)} values that are not finite, the first in series "
                f"number {series} at {period}: {values[row, step]}. Models are not trained on gaps; fill "
                "or drop them in the source."
            )
