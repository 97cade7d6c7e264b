"""params.yaml as typed, frozen settings."""

from __future__ import annotations

from panelbench.config.load import load
from panelbench.config.settings import Settings
from panelbench.config.strict import Strict, parse

__all__ = ["Settings", "Strict", "load", "parse"]
