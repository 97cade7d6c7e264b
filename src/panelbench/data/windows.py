"""Windows: rows of (series, origin) over what was known at a block's last origin.

Nothing is copied when windows are cut: overlapping windows are strided views of one array, and a batch
is gathered from them when it is needed. The arrays behind a block stop where the block's knowledge
stops, so a later value cannot be read by mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from panelbench.errors import InputError
from panelbench.panel import Panel, PanelInfo

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True)
class Known:
    """All that is known when the last forecast of a block is made.

    Attributes
    ----------
    y, past
        (S, O) and (S, O, P): observed up to the block's last origin, index O - 1.
    future
        (S, O + H, F): known ahead, up to that origin's last target.
    dates
        (O + H,) starts of the periods.
    static
        (S, K) text.
    source, start
        Where the rows are excerpts of the panel (a recursive forecast's, one a window): (S,) index of the
        series each is from, and of its first column among `dates`. None where row i is series i from the
        first period on.
    """

    info: PanelInfo
    y: Float
    past: Float
    future: Float
    dates: NDArray[np.datetime64]
    static: pd.DataFrame
    source: Int | None = None
    start: Int | None = None

    @classmethod
    def at_end(cls, panel: Panel, end: int, horizon: int) -> Known:
        """Return what is known for a block whose targets end before period `end`.

        Copies: what lies later cannot be reached from the result.
        """
        observed = end - horizon
        return cls(
            panel.info,
            panel.y[:, :observed].copy(),
            panel.past[:, :observed].copy(),
            panel.future[:, :end].copy(),
            panel.dates[:end].copy(),
            panel.static,
        )


@dataclass(frozen=True)
class Windows:
    """n windows of one block, ordered by series and then by time.

    Attributes
    ----------
    known
        What the block may read.
    series, origin
        (n,) index of the series, and of the last observed period.
    lookback, horizon
        Periods of history L in a window; periods H to forecast.
    covariates
        "ahead": at position t the known-ahead channels are those of t + horizon, so the last H
        positions tell about exactly the periods to be forecast. "past": those of t itself.
    y
        (n, H) targets in the panel's unit; None where they are withheld (the test block).
    """

    known: Known
    series: Int
    origin: Int
    lookback: int
    horizon: int
    covariates: str
    y: Float | None

    def __len__(self) -> int:
        return len(self.series)

    @property
    def channel_names(self) -> tuple[str, ...]:
        """The C names of the channels: the target, past covariates, known-ahead covariates."""
        info = self.known.info
        return ("y", *info.past, *info.future)

    @cached_property
    def values(self) -> NDArray[np.float32]:
        """(S, O, C) channels by period, unscaled."""
        known = self.known
        observed = known.y.shape[1]
        shift = self.horizon if self.covariates == "ahead" else 0
        future = known.future[:, shift : shift + observed]
        return np.concatenate([known.y[..., None], known.past, future], axis=2, dtype=np.float32)

    @property
    def position(self) -> Int:
        """(n,) index of each window along the second axis of `view()`."""
        return self.origin - self.lookback + 1

    def view(self) -> NDArray[np.float32]:
        """(S, O - L + 1, L, C) every window of every series, as a view of `values`."""
        return np.moveaxis(sliding_window_view(self.values, self.lookback, axis=1), -1, 2)

    def inputs(self, rows: NDArray[np.integer] | slice = slice(None)) -> NDArray[np.float32]:
        """(len(rows), L, C) the chosen windows, copied out of the view."""
        return np.ascontiguousarray(self.view()[self.series[rows], self.position[rows]])

    def history(self, steps: int) -> Float:
        """(n, steps) target values up to and including the origin, oldest first.

        Raises
        ------
        InputError
            If a window has fewer observed periods than that.
        """
        first = int(self.origin.min()) + 1 if len(self) else steps
        if first < steps:
            raise InputError(
                f"{steps} periods of history are asked for where only {first} have been observed: the panel "
                "is too short for this season or lag. Use a shorter one, or smaller test and validation "
                "blocks."
            )
        columns = self.origin[:, None] + np.arange(1 - steps, 1)
        past: Float = self.known.y[self.series[:, None], columns]
        return past

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Windows:
        """Return some of the windows, over the same knowledge."""
        y = None if self.y is None else self.y[rows]
        return replace(self, series=self.series[rows], origin=self.origin[rows], y=y)

    @property
    def panel_series(self) -> Int:
        """(n,) index of each window's series in the panel, to look up what is learned of a series."""
        source = self.known.source
        return self.series if source is None else source[self.series]

    def panel_period(self, at: Int) -> Int:
        """(n,) index among `known.dates` of the column `at` of each window's row, for the calendar."""
        start = self.known.start
        return at if start is None else at + start[self.series]

    def target_dates(self) -> NDArray[np.datetime64]:
        """(n, H) starts of the periods to be forecast."""
        first = self.panel_period(self.origin + 1)
        dates: NDArray[np.datetime64] = self.known.dates[first[:, None] + np.arange(self.horizon)]
        return dates


def cut_windows(
    panel: Panel, first_target: int, end: int, lookback: int, horizon: int, covariates: str
) -> Windows:
    """Cut every window whose H targets all fall in the periods from `first_target` up to `end`.

    Returns
    -------
    Windows
        With targets. History reaches back before `first_target` where it exists; windows without a
        full lookback are left out.

    Raises
    ------
    InputError
        If not one window fits.
    """
    origins = np.arange(max(first_target, lookback) - 1, end - horizon)
    if first_target > 0 and end - first_target < horizon:
        raise InputError(
            f"params.yaml: horizon {horizon} does not fit into a block of {end - first_target} periods "
            f"({first_target} to {end - 1} of {panel.n_steps}): every target of a window lies in one block. "
            "Make the horizon smaller or the block (split.test_steps, validation_steps) larger; no "
            "validation block at all is validation_steps: 0."
        )
    if not len(origins):
        raise InputError(
            f"params.yaml: lookback {lookback} and horizon {horizon} do not fit: no window has its targets "
            f"in the periods {first_target} to {end - 1} of a panel with {panel.n_steps}. Make lookback, "
            "horizon or the test and validation blocks smaller."
        )
    series = np.repeat(np.arange(panel.n_series), len(origins))
    origin = np.tile(origins, panel.n_series)
    y = panel.y[series[:, None], origin[:, None] + np.arange(1, horizon + 1)]
    return Windows(Known.at_end(panel, end, horizon), series, origin, lookback, horizon, covariates, y)


def select_channels(names: Sequence[str], wanted: Sequence[str] | None) -> list[int]:
    """Return the indices of the wanted channels in the order wanted; None means all, in the panel's.

    The order matters: a network's first weights are drawn channel by channel.

    Raises
    ------
    InputError
        If a channel does not exist, or the target is not among them.
    """
    if wanted is None:
        return list(range(len(names)))
    unknown = [name for name in wanted if name not in names]
    if unknown or "y" not in wanted:
        problem = f"'{unknown[0]}' is not a channel" if unknown else "the target 'y' must be among them"
        raise InputError(
            f"params.yaml: channels {list(wanted)}: {problem}. This panel has {', '.join(names)}."
        )
    return [names.index(name) for name in wanted]
