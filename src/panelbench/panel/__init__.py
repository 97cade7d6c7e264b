"""Where panels come from, and the contract each must meet."""

from __future__ import annotations

from panelbench.panel.panel import Panel, PanelInfo, load_panel

__all__ = ["Panel", "PanelInfo", "load_panel"]
