"""The one check every panel passes: regular, complete, finite, balanced, long enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from panelbench.errors import InputError
from panelbench.panel import balance, names, remarks
from panelbench.panel.draft import Draft
from panelbench.panel.grid import FIRST_YEAR, LAST_YEAR, guess, periods, show, weekdays
from panelbench.panel.panel import PanelInfo

LARGEST = 1e15
"""Largest magnitude of a value; above it sums of squares in single precision (networks) overflow."""
SMALLEST = 1e-4
"""Smallest magnitude that a column's largest value may have, unless all are zero: below it tree
libraries, which take features that differ by less than 1e-7 for equal, see little of them."""
SERIES_NAME = "a series' name"


class Need(NamedTuple):
    """The periods one experiment asks for."""

    lookback: int
    horizon: int
    validation_steps: int


def check(draft: Draft) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Hold a draft against the panel contract.

    Returns
    -------
    frame
        `unique_id` (text), `ds` (datetime64[ns]), `y` (float64), past, future (float64), static (text), in
        this order of columns, sorted by `unique_id`, `ds`; every series has the same periods.
    notes
        What the reader of the report must know: series left out, constant series.

    Raises
    ------
    InputError
        Naming the first offending series and period, and how many there are.
    """
    frame = _typed(draft)
    _check_duplicates(draft, frame)
    _check_grid(draft, frame)
    _check_finite(draft, frame)
    _check_size(draft, frame)
    _check_static(draft, frame)
    frame, notes = balance.balance(draft, frame)
    return frame, (*notes, *_constant_series(frame), *remarks.about_columns(draft, frame))


def check_length(info: PanelInfo, test_steps: int, needs: Mapping[str, Need]) -> None:
    """Refuse experiments that the panel is too short for.

    An experiment needs one training window with its target before the validation and the test block:
    lookback + horizon + validation + test periods.

    Raises
    ------
    InputError
        Naming the experiment that needs most, the count it needs and the count there is.
    """
    totals = {name: test_steps + sum(need) for name, need in needs.items()}
    short = sorted(
        (name for name, total in totals.items() if total > info.n_steps), key=lambda n: (-totals[n], n)
    )
    if not short:
        return
    need = needs[short[0]]
    raise InputError(
        f"The panel '{info.title}' has {info.n_steps} periods ({info.start} to {info.end}, "
        f"{info.frequency}), but "
        f"experiments.{short[0]} needs at least {totals[short[0]]}: lookback {need.lookback} + horizon "
        f"{need.horizon} + "
        f"validation {need.validation_steps} + test {test_steps}. {len(short)} of {len(needs)} experiments "
        "are too long. "
        "Make lookback, horizon, split.validation_steps or split.test_steps smaller, or use a longer panel."
    )


def _typed(draft: Draft) -> pd.DataFrame:
    """Return the contract's columns with their types, sorted."""
    source = draft.frame
    if source.empty:
        raise InputError(f"{draft.shown}: there is no row to make a panel from.")
    implausible = ~source["ds"].dt.year.between(FIRST_YEAR, LAST_YEAR)
    if implausible.any():
        first = source[implausible].iloc[0]
        raise InputError(
            f"{draft.shown}: the series '{first['unique_id']}' has the date {first['ds']}; "
            f"{int(implausible.sum()):,} "
            f"rows lie outside the years {FIRST_YEAR} to {LAST_YEAR} or have no date."
        )
    for name in ("unique_id", *draft.static):
        _check_text(draft, source[name], SERIES_NAME if name == "unique_id" else f"the column '{name}'")
    columns: dict[str, object] = {
        "unique_id": source["unique_id"].astype(str),
        "ds": source["ds"].astype("datetime64[ns]"),
        "y": source["y"].astype(np.float64),
    }
    for name in (*draft.past, *draft.future):
        columns[name] = source[name].astype(np.float64)
    for name in draft.static:
        columns[name] = source[name].astype(str)
    return pd.DataFrame(columns).sort_values(["unique_id", "ds"], kind="stable", ignore_index=True)


def _check_text(draft: Draft, values: pd.Series, what: str) -> None:
    """Refuse text that is missing, or that would break a table, a message or a figure."""
    missing = values.isna()
    if missing.any():
        raise InputError(
            f"{draft.shown}: {what} is missing in {int(missing.sum()):,} of {len(values):,} rows. Nothing is "
            "filled in by guessing: put the true value there, or take the rows out."
        )
    distinct = [str(value) for value in values.astype(str).unique()]
    for value in distinct:
        fault = names.fault(value, shown_in_tables=what == SERIES_NAME)
        if fault is not None:
            raise InputError(f"{draft.shown}: {what} is {value[:60]!r}; {fault}.")
    pair = names.alike(distinct)
    if pair is not None:
        raise InputError(
            f"{draft.shown}: {what} is {pair[0][:60]!a} in some rows and {pair[1][:60]!a} in others, which "
            "look the same on a page. Write one of them everywhere, or give them names that differ."
        )


def _check_duplicates(draft: Draft, frame: pd.DataFrame) -> None:
    repeated = frame.duplicated(["unique_id", "ds"])
    if repeated.any():
        first = frame[repeated].iloc[0]
        raise InputError(
            f"{draft.shown}: the series '{first['unique_id']}' has more than one row for "
            f"{show(first['ds'])}; "
            f"{int(repeated.sum()):,} rows repeat a series and period that came before. Keep one row a "
            "series and period, "
            "or name the column that tells them apart under panel.id."
        )


def _check_grid(draft: Draft, frame: pd.DataFrame) -> None:
    """Refuse dates that are not the start of a period of the frequency."""
    grid = periods(frame["ds"].min(), frame["ds"].max(), draft.frequency)
    off = ~frame["ds"].isin(grid)
    if not off.any():
        return
    first = frame[off].iloc[0]
    moment = first["ds"]
    found = weekdays(frame["ds"])
    suggestion = guess(frame.loc[frame["unique_id"] == first["unique_id"], "ds"])
    if draft.frequency.startswith("W-") and len(found) == 1 and moment == moment.normalize():
        remedy = f"All dates are {found[0]}s: write frequency: W-{found[0][:3].upper()}."
    elif suggestion and suggestion != draft.frequency:
        remedy = f"The dates of this series are regular with frequency: {suggestion}."
    else:
        remedy = "One panel has one frequency; bring every row to the start of its period."
    raise InputError(
        f"{draft.shown}: in the series '{first['unique_id']}' the date {show(moment)} (a "
        f"{moment.day_name()}) is not the "
        f"start of a period of frequency {draft.frequency}; {int(off.sum()):,} of {len(frame):,} rows are "
        f"not. {remedy}"
    )


def _check_finite(draft: Draft, frame: pd.DataFrame) -> None:
    for name in ("y", *draft.past, *draft.future):
        bad = ~(frame[name].abs() <= LARGEST)
        if bad.any():
            first = frame[bad].iloc[0]
            shown = f"the target ({draft.target_name})" if name == "y" else f"the column '{name}'"
            value = "missing (NaN)" if np.isnan(first[name]) else f"{first[name]:g}"
            raise InputError(
                f"{draft.shown}: {shown} is {value} in the series '{first['unique_id']}' at "
                f"{show(first['ds'])}; "
                f"{int(bad.sum()):,} of {len(frame):,} rows are missing, infinite or above {LARGEST:g}. "
                "Nothing is filled "
                "in by guessing: put the true value there, or take the series out."
            )


def _check_size(draft: Draft, frame: pd.DataFrame) -> None:
    """Refuse a column in a unit so large that all its numbers are next to nothing."""
    for name in ("y", *draft.past, *draft.future):
        largest = float(frame[name].abs().max())
        if 0 < largest < SMALLEST:
            shown = f"the target ({draft.target_name})" if name == "y" else f"the column '{name}'"
            raise InputError(
                f"{draft.shown}: {shown} is nowhere larger than {largest:g}; trees cannot tell values "
                f"below {SMALLEST:g} well apart. Give it in a smaller unit: multiply it by a million."
            )


def _check_static(draft: Draft, frame: pd.DataFrame) -> None:
    for name in draft.static:
        distinct = frame.groupby("unique_id", sort=True)[name].nunique()
        moving = distinct[distinct > 1]
        if len(moving):
            series = str(moving.index[0])
            values = sorted(frame.loc[frame["unique_id"] == series, name].unique())[:3]
            raise InputError(
                f"{draft.shown}: the static column '{name}' changes within the series '{series}' "
                f"({', '.join(values)}); "
                f"{len(moving):,} series have this. A column that changes belongs under past or future."
            )


def _constant_series(frame: pd.DataFrame) -> tuple[str, ...]:
    spread = frame.groupby("unique_id", sort=True)["y"].agg(lambda values: values.max() - values.min())
    constant = [str(name) for name in spread.index[spread.to_numpy() == 0]]
    if not constant:
        return ()
    return (
        f"Constant target in {balance.listed(constant)}; scores that divide by its changes leave such "
        "series out.",
    )
