"""The Transformer, one part a file.

To be read in this order: `attention`, `masks`, `encoder`, `positions`, `relative`, `tokens`, `revin`, and
`model`, which puts them together; `small` is a whole forecaster without settings, `forecaster` what the
benchmark trains. docs/transformer.md says what is proven by which test.
"""

from __future__ import annotations

from panelbench.models.transformer.forecaster import transformer
from panelbench.models.transformer.small import SmallForecaster

__all__ = ["SmallForecaster", "transformer"]
