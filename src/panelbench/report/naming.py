"""What things are called in the report: experiments, periods, dates, units."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

import numpy as np
import pandas as pd

from panelbench.compare.schema import Comparison
from panelbench.data.calendar import period_word
from panelbench.models.settings import MODES
from panelbench.panel.panel import Panel
from panelbench.report import words


class Naming:
    """Names for figures (plain text) and sentences (Markdown), of whoever has a panel and a comparison."""

    comparison: Comparison

    @property
    def panel(self) -> Panel:
        """The panel that was forecast."""
        raise NotImplementedError

    @property
    def unit(self) -> str:
        """Unit of the target and of every error, plain text."""
        return words.shorten(self.panel.info.unit, 24)

    @property
    def target(self) -> str:
        """What was forecast, plain text, such as "weekly sales"."""
        return words.shorten(self.panel.info.target_name, 60)

    @property
    def period(self) -> str:
        """One period in words: "week", "day", "hour" ..."""
        return period_word(self.panel.info.frequency)

    @cached_property
    def _by_the_clock(self) -> bool:
        """Whether periods are shorter than a day, so that a date alone does not name one."""
        return bool((self.panel.dates.astype("datetime64[D]") != self.panel.dates).any())

    def when(self, date: np.datetime64) -> str:
        """Return a period's start: the date, with the time where periods are shorter than a day."""
        return pd.Timestamp(date).strftime("%Y-%m-%d %H:%M" if self._by_the_clock else "%Y-%m-%d")

    def periods(self, count: int) -> str:
        """Return "26 weeks"."""
        return words.plural(count, self.period)

    def label(self, name: str, length: int = 40) -> str:
        """Return an experiment's name for figures: plain text, not longer than a figure can carry."""
        return words.shorten(self.comparison.experiments[name].label, length)

    def md(self, name: str) -> str:
        """Return an experiment's name for Markdown."""
        return words.escape(words.shorten(self.comparison.experiments[name].label, 60))

    def name(self, name: str) -> str:
        """Return an experiment's name for a Markdown sentence: one with a comma stands in quotation marks."""
        return words.quoted(self.md(name))

    def say(self, text: str) -> str:
        """Return a text of the comparison as Markdown, with the panel's own word for a period."""
        pattern = r"(\btarget |\d )period(s?)\b"
        return words.escape(re.sub(pattern, lambda found: f"{found[1]}{self.period}{found[2]}", text))

    @property
    def kind(self) -> str:
        """What is forecast how, such as "rolling one-step forecasts"."""
        return words.lower_first(self.say(self.comparison.task.title))

    def kind_of(self, names: Iterable[str]) -> str:
        """Return what is forecast how by these experiments, which may be fewer ways than the task has."""
        task, own = self.comparison.task, {self.comparison.experiments[name].mode for name in names}
        modes = [mode for mode in task.modes if mode in own]
        if task.horizon == 1 or not modes:
            return self.kind
        how = words.listing(MODES[mode].removesuffix(" multi-step") for mode in modes)
        return f"{how} multi-step forecasts, {self.periods(task.horizon)} ahead"

    def with_mode(self, name: str, length: int = 40) -> str:
        """Return an experiment's name for figures, with its mode where it matters and is not in the name."""
        label, mode = self.label(name, length), self.comparison.experiments[name].mode
        several = len(self.comparison.task.modes) > 1
        return f"{label} ({mode})" if several and mode not in label.lower() else label
