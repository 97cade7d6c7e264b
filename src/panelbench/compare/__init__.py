"""Compare experiments from their stored forecasts: spread, paired differences, tests, groups."""

from __future__ import annotations

from panelbench.compare.compare import compare
from panelbench.compare.schema import Comparison, load_comparison

__all__ = ["Comparison", "compare", "load_comparison"]
