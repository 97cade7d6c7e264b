"""What the data can carry: a box where models can be ranked hardly or not at all."""

from __future__ import annotations

import re

from panelbench.report.data import ReportData

FEW = 0.5
"""Below this share of pairs of learned models that can be told apart, an order is hardly a ranking."""


def box(data: ReportData) -> str:
    """Return the box of a task, or nothing where most learned models can be told apart."""
    support = data.comparison.support
    if not support.can_rank:
        return f"::: {{.warning}}\n\n{_bold(_sentence(data))}\n\n:::"
    if support.n_pairs and support.n_separable < FEW * support.n_pairs:
        text = _sentence(data)
        return f"::: {{.caution}}\n\n**This order is hardly a ranking:** {text}\n\n:::"
    return ""


def _bold(text: str) -> str:
    """Return a sentence with what it states, before its first colon, in bold."""
    claim, colon, reasons = text.partition("\\:")
    return f"**{claim}**{colon}{reasons}"


def _sentence(data: ReportData) -> str:
    """Return the comparison's own sentence, with the unit and names as the page writes them."""
    support = data.comparison.support
    text = re.sub(r"differ by ([\d.,]*\d)", rf"differ by \1 {data.unit} (RMSE)", support.sentence)
    text = data.say(text)
    if support.first and support.second:
        pair = (support.first, support.second)
        own = " and ".join(data.say(data.comparison.experiments[one].label) for one in pair)
        quoted = " and ".join(data.name(one) for one in pair)
        text = text.replace(f"{own}\\, differ", f"{quoted}\\, differ")
    return text
