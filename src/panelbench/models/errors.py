"""What can go wrong while a model learns."""

from __future__ import annotations


class Diverged(RuntimeError):
    """The loss or a forecast is not finite. Recorded as a failed seed; never filled in."""
