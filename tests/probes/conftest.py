"""Every probe on a miniature setting, once; its fits in this process."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from panelbench.models import cost
from panelbench.probes import depth, heads, lengths, reach, run, size
from panelbench.probes.settings import PROBES
from tests.helpers.project import ROOT

SHORT: dict[str, dict[str, Any]] = {
    "reach": {
        "seeds": [0, 1],
        "steps_back": [1, 12],
        "margin": 6,
        "test_windows": 100,
        "training.updates": 4,
    },
    "depth": {"seeds": [0, 1], "layers": [1, 3], "test_windows": 50, "training.updates": 3},
    "size": {
        "seeds": [0, 1],
        "panel.series": 3,
        "panel.steps": 120,
        "fractions": [0.25, 1.0],
        "times": [2],
        "training.updates": 3,
        "models.xgboost.trees": 5,
        "models.random_forest.trees": 5,
    },
    "heads": {"seeds": [0, 1], "panel.series": 3, "panel.steps": 120, "training.updates": 3},
    "lengths": {"lengths": [26, 40], "rounds": 2},
}


def write_settings(folder: Path, name: str, changes: dict[str, Any]) -> Path:
    """Write a probe's settings with some values changed; a point leads into a group."""
    content = yaml.safe_load((ROOT / "probes" / f"{name}.yaml").read_text())
    for place, value in changes.items():
        *groups, key = place.split(".")
        inner = content
        for group in groups:
            inner = inner[group]
        inner[key] = value
    path = folder / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(content))
    return path


def here(function: Callable[[Any], Any], jobs: list[Any], *_: Any, **__: Any) -> list[Any]:
    return [function(job) for job in jobs]


@pytest.fixture(scope="session")
def miniature(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the results of all probes."""
    root = tmp_path_factory.mktemp("probes")
    (root / "reports").mkdir()
    for name in ("probes.qmd", "theme.css"):
        shutil.copy(ROOT / "reports" / name, root / "reports" / name)
    with pytest.MonkeyPatch.context() as patch:
        for module in (reach, depth, size, heads):
            patch.setattr(module, "spread", here)
        patch.setattr(lengths, "measure", lambda models, at: [cost.measure_here(models[0], at[0])])
        for name in PROBES:
            write_settings(root / "probes", name, SHORT[name])
            run.run(name, root)
    return root
