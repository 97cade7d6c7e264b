"""The panel in memory: every series over the same regular periods."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from panelbench.config import Strict
from panelbench.errors import InputError
from panelbench.files import read_model, sha256

Float = NDArray[np.float64]


class RawFile(Strict):
    """One file the panel was made from."""

    name: str
    sha256: str
    url: str | None = None


class PanelInfo(Strict):
    """What panel.json says of panel.parquet.

    The order of `past` and `future` is the order of a network's input channels after the target.
    """

    source: str
    title: str
    target_name: str
    unit: str
    frequency: str
    season: int
    n_series: int
    n_steps: int
    n_rows: int
    start: str
    end: str
    past: tuple[str, ...] = ()
    future: tuple[str, ...] = ()
    static: tuple[str, ...] = ()
    event_column: str | None = None
    zero_rows: int = 0
    notes: tuple[str, ...] = ()
    sha256: str = ""
    files: tuple[RawFile, ...] = ()


@dataclass(frozen=True)
class Panel:
    """S series over T periods.

    Attributes
    ----------
    info
        Names, units, counts and hashes.
    series
        The S names, sorted.
    dates
        (T,) start of each period.
    y
        (S, T) target in `info.unit`.
    past
        (S, T, P) covariates known only once their period is over.
    future
        (S, T, F) covariates known ahead, such as the calendar and promotions.
    static
        (S, K) one row a series, text.
    """

    info: PanelInfo
    series: tuple[str, ...]
    dates: NDArray[np.datetime64]
    y: Float
    past: Float
    future: Float
    static: pd.DataFrame

    @property
    def n_series(self) -> int:
        """Number of series S."""
        return len(self.y)

    @property
    def n_steps(self) -> int:
        """Number of periods T."""
        return len(self.dates)

    def take(self, series: NDArray[np.integer]) -> Panel:
        """Return a panel of some of the series, by index."""
        counts = {"n_series": len(series), "n_rows": len(series) * self.n_steps}
        return replace(
            self,
            info=self.info.model_copy(update=counts),
            series=tuple(self.series[index] for index in series),
            y=self.y[series],
            past=self.past[series],
            future=self.future[series],
            static=self.static.iloc[series].reset_index(drop=True),
        )

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, info: PanelInfo) -> Panel:
        """Build from the long frame of the panel contract (sorted by `unique_id`, `ds`; checked before)."""
        names = tuple(str(name) for name in frame["unique_id"].drop_duplicates())
        shape = (len(names), len(frame) // len(names))
        first = frame.iloc[:: shape[1]]

        def cube(columns: tuple[str, ...]) -> Float:
            return frame[list(columns)].to_numpy(np.float64).reshape(*shape, len(columns))

        return cls(
            info=info,
            series=names,
            dates=frame["ds"].to_numpy("datetime64[ns]")[: shape[1]],
            y=frame["y"].to_numpy(np.float64).reshape(shape),
            past=cube(info.past),
            future=cube(info.future),
            static=first[list(info.static)].astype(str).reset_index(drop=True),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the long frame: `unique_id, ds, y`, covariates, static columns."""
        columns: dict[str, Any] = {
            "unique_id": np.repeat(np.asarray(self.series, dtype=object), self.n_steps),
            "ds": np.tile(self.dates, self.n_series),
            "y": self.y.ravel(),
        }
        for names, values in ((self.info.past, self.past), (self.info.future, self.future)):
            for column, name in enumerate(names):
                columns[name] = values[:, :, column].ravel()
        for name in self.info.static:
            columns[name] = np.repeat(self.static[name].to_numpy(object), self.n_steps)
        return pd.DataFrame(columns)


def load_panel(parquet: Path = Path("data/panel.parquet"), facts: Path = Path("data/panel.json")) -> Panel:
    """Read the prepared panel and hold its bytes against the hash in panel.json.

    Raises
    ------
    InputError
        As in `load_info`.
    """
    info = load_info(parquet, facts)
    return Panel.from_frame(pd.read_parquet(parquet), info)


def load_info(parquet: Path, facts: Path) -> PanelInfo:
    """Read panel.json and hold the bytes of panel.parquet against the hash in it.

    Raises
    ------
    InputError
        If a file is absent or the parquet is not the one panel.json describes.
    """
    remedy = "Run `dvc repro prepare --force`."
    info = read_model(PanelInfo, facts, "does not describe a panel", remedy)
    if not parquet.exists():
        raise InputError(f"{parquet} is not there. `dvc repro` makes it.")
    found = sha256(parquet)
    if found != info.sha256:
        raise InputError(
            f"{parquet} has SHA-256 {found[:12]}..., but {facts} describes {info.sha256[:12]}...; one of "
            f"them was changed by hand or half restored. {remedy}"
        )
    return info
