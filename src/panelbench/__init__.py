"""Honest benchmarks of forecasting models on panels of series."""

__version__ = "0.1.0"
