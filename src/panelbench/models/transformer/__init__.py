"""The Transformer encoder, one part a file: positions, attention, block, model, forecaster."""

from __future__ import annotations

from panelbench.models.transformer.forecaster import transformer

__all__ = ["transformer"]
