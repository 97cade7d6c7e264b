"""Ticks of a time axis, at every frequency."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from panelbench.report import dates, theme


def labels(frequency: str, periods: int, *, few: bool = False, start: str = "2020-01-06") -> list[str]:
    figure, grid = theme.canvas(theme.WIDE, 200)
    axes = grid[0, 0]
    moments = pd.date_range(start, periods=periods, freq=frequency)
    axes.plot(moments, range(periods))
    dates.time_axis(axes, theme.WIDE, few=few)
    figure.draw_without_rendering()
    low, high = axes.get_xlim()
    ticks = zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    return [label.get_text() for tick, label in ticks if low <= tick <= high]


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize(
    ("frequency", "periods", "pattern"),
    [
        ("h", 36, r"\d\d:\d\d|\d\d \w{3}( \d\d:\d\d)?"),
        ("h", 600, r"\d\d \w{3}|\w{3} 2020"),
        ("D", 42, r"\d\d \w{3}|\w{3} 2020"),
        ("W-MON", 133, r"\w{3} 20\d\d|20\d\d"),
        ("MS", 240, r"20\d\d"),
    ],
)
def test_when_a_panel_has_any_frequency_then_two_ticks_or_more_can_be_placed(
    frequency: str, periods: int, pattern: str, few: bool
) -> None:
    found = labels(frequency, periods, few=few)
    assert 2 <= len(found) <= 9
    assert all(re.fullmatch(pattern, text) for text in found), found


def test_when_ticks_are_hours_then_one_of_them_names_the_day() -> None:
    found = labels("15min", 20, start="2020-01-06 03:00")
    assert re.fullmatch(r"06 Jan \d\d:\d\d", found[0])
    assert all(re.fullmatch(r"\d\d:\d\d", text) for text in found[1:])
