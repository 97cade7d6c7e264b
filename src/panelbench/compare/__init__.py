"""Compare experiments from their stored forecasts: spread, paired differences, tests, groups."""

from __future__ import annotations

from panelbench.compare.compare import compare, load_comparison
from panelbench.compare.schema import Comparison

__all__ = ["Comparison", "compare", "load_comparison"]
