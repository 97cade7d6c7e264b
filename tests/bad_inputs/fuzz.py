"""Feed anything to the readers of params.yaml and of CSV files, and hold what they do against the rules."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from panelbench.config import load
from panelbench.errors import InputError
from panelbench.models import registry as models
from panelbench.panel import load_panel
from panelbench.panel import registry as panels
from panelbench.panel.fetch import fetch
from panelbench.panel.prepare import prepare
from tests.bad_inputs.case import LONGEST, PANEL


def read_params(content: bytes, folder: Path) -> bool:
    """Read a params.yaml of these bytes; return whether it is accepted.

    Raises
    ------
    AssertionError
        If it is refused in anything but one paragraph. Any other error is a fault that was found.
    """
    path = folder / "params.yaml"
    path.write_bytes(content)
    try:
        settings = load(path)
        panels.resolve(settings.panel)
        models.resolve(settings)
    except InputError as error:
        require_one_paragraph(error)
        return False
    return True


def read_csv(content: bytes, folder: Path, **keys: Any) -> bool:
    """Make a panel of a CSV file of these bytes; return whether it is accepted.

    Raises
    ------
    AssertionError
        If it is refused in anything but one paragraph, refused with something written, or accepted with
        a panel that breaks the contract.
    """
    path = folder / "mine.csv"
    path.write_bytes(content)
    settings = {**PANEL, "path": str(path), **keys}
    parquet, facts = folder / "panel.parquet", folder / "panel.json"
    try:
        fetch(settings, folder / "raw")
        prepare(settings, folder / "raw", parquet, facts)
    except InputError as error:
        require_one_paragraph(error)
        assert not parquet.exists()
        return False
    finally:
        shutil.rmtree(folder / "raw", ignore_errors=True)
    panel = load_panel(parquet, facts)
    assert panel.y.shape == (panel.n_series, panel.n_steps)
    assert abs(panel.y).max() <= 1e15
    assert len(set(panel.series)) == panel.n_series
    assert (panel.dates[1:] > panel.dates[:-1]).all()
    parquet.unlink()
    facts.unlink()
    return True


def require_one_paragraph(error: InputError) -> None:
    """Hold a message against what a user can read; the command line shows what remains on one line."""
    message = str(error)
    assert 20 < len(message) <= LONGEST, message
    assert "\n" not in message, message
