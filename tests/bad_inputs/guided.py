"""Fuzz with coverage guidance, for a nightly run (Linux), in the repository's root:

    pip install atheris
    python -m tests.bad_inputs.guided params -max_total_time=600    # or csv

What breaks is left in a file crash-*, which the same command takes as its last argument.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Instrument the readers while they are imported, then let atheris look for inputs that break them."""
    target = sys.argv.pop(1)
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["panelbench", "yaml"]):
        fuzz = importlib.import_module("tests.bad_inputs.fuzz")
        params = importlib.import_module("tests.bad_inputs.params_yaml")
        tables = importlib.import_module("tests.bad_inputs.tables")
        importlib.import_module("panelbench.panel.csv_source")
    read = {"params": fuzz.read_params, "csv": fuzz.read_csv}[target]
    right = {"params": params.WHOLE, "csv": tables.text(tables.rows())}[target]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        (corpus / "right").write_text(right, "utf-8")
        atheris.Setup([*sys.argv, str(corpus)], lambda content: read(bytes(content), Path(folder)) and None)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
