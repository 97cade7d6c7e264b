"""A large panel is audited on some of its series.

What a check disturbs is time: every series is cut, scaled and read by the same code, so a leak shows in
any of them. A hundred series keep the audit at a minute or two however large the panel is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from panelbench.audit.result import Check
from panelbench.panel import Panel

LARGEST = 100
"""Series that are audited at most."""


def sampled(panel: Panel) -> Panel:
    """Return the panel, or `LARGEST` of its series, evenly spaced from the first to the last."""
    if panel.n_series <= LARGEST:
        return panel
    return panel.take(np.linspace(0, panel.n_series - 1, LARGEST).astype(np.int64))


def said(checks: Sequence[Check], audited: Panel, panel: Panel) -> list[Check]:
    """Return the checks with a word on how many of the series they looked at, where not at all."""
    if audited.n_series == panel.n_series:
        return list(checks)
    note = f" Looked at: {audited.n_series:,} of the panel's {panel.n_series:,} series, evenly spaced."
    return [replace(check, detail=check.detail + note) for check in checks]
