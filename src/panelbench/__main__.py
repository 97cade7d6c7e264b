"""`python -m panelbench`, the same as the `panelbench` command."""

from __future__ import annotations

from panelbench.cli.main import run

run()
