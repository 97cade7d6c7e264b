"""Time axes: few ticks, each a date that a reader can place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, num2date
from matplotlib.ticker import Formatter

from panelbench.report.theme import Layout


class DateLabels(Formatter):
    """Dates in as few words as name each tick, and always one that tells the day where ticks are hours."""

    def __call__(self, value: float, position: int | None = None) -> str:  # noqa: ARG002 - the interface
        """Return the label of one tick alone."""
        return self.format_ticks([value])[0]

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Return the labels of all ticks: years, months, days or hours, as the finest of them needs."""
        moments = [num2date(value) for value in values]  # type: ignore[no-untyped-call]
        if any((one.hour, one.minute) != (0, 0) for one in moments):
            labels = [one.strftime("%H:%M" if one.hour or one.minute else "%d %b") for one in moments]
            if not any(one.hour == one.minute == 0 for one in moments):
                labels[0] = moments[0].strftime("%d %b %H:%M")
            return labels
        if any(one.day != 1 for one in moments):
            return [one.strftime("%d %b" if one.day != 1 else "%b %Y") for one in moments]
        months = any(one.month != 1 for one in moments)
        return [one.strftime("%b %Y" if months else "%Y") for one in moments]


def time_axis(axes: Axes, layout: Layout, *, few: bool = False) -> None:
    """Label a time axis, whose limits are final, with as few ticks as tell the dates: two at least."""
    low, high = axes.get_xlim()
    for most in (3 if few or layout.narrow else 7, 4, 5, 6, 8):
        locator: Any = AutoDateLocator(minticks=2, maxticks=most)  # type: ignore[no-untyped-call]
        ticks = locator.tick_values(num2date(low), num2date(high))  # type: ignore[no-untyped-call]
        if sum(low <= tick <= high for tick in ticks) > 1:
            break
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(DateLabels())
