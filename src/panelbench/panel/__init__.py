"""Where panels come from, and the contract each must meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from panelbench.panel.panel import Panel, PanelInfo, load_panel

__all__ = ["Panel", "PanelInfo", "load_panel"]


def __getattr__(name: str) -> object:
    """Import the panel, and pandas with it, only when it is used: checking settings needs neither."""
    if name in __all__:
        from panelbench.panel import panel

        return getattr(panel, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
