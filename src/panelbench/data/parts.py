"""Windows in parts of whole series, so that what is computed of them need not be held for all at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from panelbench.data.windows import Known, Windows

ROWS = 100_000
"""Windows in a part, unless one series alone has more."""


def by_series(windows: Windows, rows: int = ROWS) -> Iterator[tuple[slice, Windows]]:
    """Yield consecutive parts of the windows and where they stand; what a part knows is its own series'.

    Windows ordered otherwise than by series come in one part.
    """
    if len(windows) <= rows or (np.diff(windows.series) < 0).any():
        yield slice(0, len(windows)), windows
        return
    ends = np.append(np.flatnonzero(np.diff(windows.series)) + 1, len(windows))
    first = 0
    while first < len(windows):
        fitting = ends[(ends > first) & (ends <= first + rows)]
        end = int(fitting[-1]) if len(fitting) else int(ends[ends > first][0])
        yield slice(first, end), _part(windows, slice(first, end))
        first = end


def _part(windows: Windows, rows: slice) -> Windows:
    taken = windows.take(rows)
    first, last = int(taken.series[0]), int(taken.series[-1]) + 1
    return replace(taken, known=_series(windows.known, slice(first, last)), series=taken.series - first)


def _series(known: Known, series: slice) -> Known:
    """Return what is known of some series, as views; static columns keep the whole panel's categories."""
    return replace(
        known,
        y=known.y[series],
        past=known.past[series],
        future=known.future[series],
        static=known.static.astype("category").iloc[series].reset_index(drop=True),
        source=None if known.source is None else known.source[series],
        start=None if known.start is None else known.start[series],
    )
