"""Feed anything to the readers of params.yaml and of CSV files; for a nightly run with coverage guidance.

`pip install atheris`, then `python -m tests.bad_inputs.fuzz params -max_total_time=600` (or `csv`), in the
repository's root. What breaks is left in a file crash-*, which the same command takes as its last argument.
"""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from panelbench.config import load
from panelbench.errors import InputError
from panelbench.models import registry as models
from panelbench.panel import load_panel
from panelbench.panel import registry as panels
from panelbench.panel.fetch import fetch
from panelbench.panel.prepare import prepare
from tests.bad_inputs.case import LONGEST, PANEL, PARAMS
from tests.bad_inputs.tables import rows, text


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
    assert abs(panel.y).max() <= 1e30
    assert len(set(panel.series)) == panel.n_series
    assert (panel.dates[1:] > panel.dates[:-1]).all()
    parquet.unlink()
    facts.unlink()
    return True


def require_one_paragraph(error: InputError) -> None:
    """Hold a message against what a user can read; the command line shows what remains on one line."""
    message = str(error)
    assert 20 < len(message) <= LONGEST + 500, message
    assert message.count("\n") <= 1, message


def seeds(target: str) -> dict[str, bytes]:
    """Return right inputs for the fuzzer to begin with."""
    if target == "csv":
        return {"right": text(rows()).encode(), "one": text(rows()[:1]).encode()}
    own = {**PARAMS, "panel": {"source": "synthetic"}}
    return {"csv": yaml.safe_dump(PARAMS).encode(), "synthetic": yaml.safe_dump(own).encode()}


def main() -> None:
    """Run atheris on one of the two readers."""
    target = sys.argv.pop(1)
    atheris = importlib.import_module("atheris")
    atheris.instrument_all()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for name, content in seeds(target).items():
            (corpus / name).write_bytes(content)
        read = {"params": read_params, "csv": read_csv}[target]
        atheris.Setup([*sys.argv, str(corpus)], lambda content: read(bytes(content), Path(folder)) and None)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
