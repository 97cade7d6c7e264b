"""Write down what decides the runs of each declared experiment, one file each.

DVC compares settings key by key. A default has one key and many models that lack such a setting: with the
key as its dependency, every `train` would run again when one of the networks' defaults is edited. With these
files only those run again whose own complete settings changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from panelbench.config import Settings
from panelbench.files import write_json
from panelbench.models.settings import ExperimentSettings


def write_declared(settings: Settings, experiments: Mapping[str, ExperimentSettings], folder: Path) -> None:
    """Write `folder`/<experiment>.json for every experiment, and remove the files of others.

    Parameters
    ----------
    experiments
        Complete settings, as `registry.resolve` gives them.
    """
    for name, experiment in experiments.items():
        content = {
            "settings": experiment.model_dump(mode="json", exclude={"seeds"}),
            "seeds": experiment.own_seeds(settings.seeds),
            "split": settings.split.model_dump(mode="json"),
            "threads": settings.execution.threads,
        }
        write_json(folder / f"{name}.json", content)
    for path in folder.glob("*.json"):
        if path.stem not in experiments:
            path.unlink()
