"""Take away the results of experiments that are no longer declared.

`compare` and `report` read the declared experiments only, but they depend on the whole of `data/runs/`. A
folder left there by an experiment that was removed, or by another preset, would make them stale, and going
back to earlier settings would not find their results in DVC's cache.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path

import yaml

RUNS = Path("data/runs")


def remove_stale_runs(declared: Collection[str], root: Path) -> list[str]:
    """Remove run folders of undeclared experiments that DVC has in its cache; return their names.

    A folder that dvc.lock does not list was made by hand and stays: nothing could bring it back.
    """
    found = [folder for folder in (root / RUNS).glob("[!.]*") if folder.is_dir()]
    undeclared = sorted(folder for folder in found if folder.name not in declared)
    locked = _locked(root) if undeclared else set()
    stale = [folder for folder in undeclared if f"train@{folder.name}" in locked]
    for folder in stale:
        shutil.rmtree(folder)
    return [folder.name for folder in stale]


def _locked(root: Path) -> set[str]:
    """Return the names of the stages whose results dvc.lock records."""
    try:
        content = yaml.safe_load((root / "dvc.lock").read_text("utf-8"))
        return set(content["stages"])
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError):
        return set()
