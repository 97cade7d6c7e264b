"""What a source hands over before the contract check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Draft:
    """A long frame and what it means.

    Attributes
    ----------
    frame
        One row a series and period: `unique_id`, `ds` (start of the period), `y`, the covariates and the
        static columns, in any row order.
    incomplete
        `refuse` stops at a series that lacks periods, `drop` leaves it out and notes it.
    row_name
        What one row is called in messages and notes, such as "store-week".
    origin
        The file that messages name; left out: the title.
    """

    frame: pd.DataFrame
    title: str
    target_name: str
    unit: str
    frequency: str
    past: tuple[str, ...] = ()
    future: tuple[str, ...] = ()
    static: tuple[str, ...] = ()
    event_column: str | None = None
    incomplete: Literal["refuse", "drop"] = "refuse"
    row_name: str = "row"
    origin: str = ""
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """What messages call the data: the user's file, else the title."""
        return self.origin or self.title
