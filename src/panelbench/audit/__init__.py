"""The leak audit: disturb what a model must not know and require that nothing moves."""

from __future__ import annotations

from panelbench.audit.run import audit

__all__ = ["audit"]
