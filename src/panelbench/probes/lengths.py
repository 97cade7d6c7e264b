"""Lengths: what a training step costs by the length of the window, and what of it is due to attention."""

from __future__ import annotations

import math

from panelbench.models.cost import measure
from panelbench.probes.pool import Tell
from panelbench.probes.results import LengthsRow
from panelbench.probes.settings import LengthsSettings
from panelbench.train.signals import termination_raises

WIDTH, FEED_FORWARD = 64, 128
"""Of the Transformer that is measured: the defaults of its settings."""


def run(settings: LengthsSettings, tell: Tell | None = None) -> list[LengthsRow]:
    """Measure one after the other: measurements at the same time would disturb each other."""
    rows: list[LengthsRow] = []
    total = settings.rounds * len(settings.models) * len(settings.lengths)
    for turn in range(settings.rounds):
        for model in settings.models:
            for length in sorted(settings.lengths):
                with termination_raises():  # so that the process that measures ends, too
                    cost = measure([model], [length])[0]
                rows.append(
                    LengthsRow(
                        model=model,
                        length=length,
                        turn=turn,
                        windows=cost.windows,
                        seconds=cost.seconds,
                        mib=cost.mib if math.isfinite(cost.mib) else None,
                    )
                )
                if tell is not None:
                    tell(len(rows), total)
    order: dict[str, int] = {name: place for place, name in enumerate(settings.models)}
    return sorted(rows, key=lambda row: (order[row.model], row.length, row.turn))


def multiply_adds(length: int, width: int = WIDTH, feed_forward: int = FEED_FORWARD) -> tuple[int, int]:
    """Return multiplications with an addition in an encoder layer's forward pass, a window, in two parts.

    Projections of queries, keys, values and output (4 d^2 a position) and the feed-forward part (2 d d_ff)
    grow with the length; scores and weighted sums (d for each pair of positions, twice) with its square.
    """
    return length * (4 * width**2 + 2 * width * feed_forward), 2 * width * length**2


def crossing(width: int = WIDTH, feed_forward: int = FEED_FORWARD) -> int:
    """Return the length from which on the quadratic part is the larger one: 2 d + d_ff."""
    return 2 * width + feed_forward
