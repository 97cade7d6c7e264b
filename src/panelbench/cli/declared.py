"""Write down what decides the runs of each declared experiment, one file each.

DVC compares settings key by key. A default has one key and many models that lack such a setting: with the
key as its dependency, every `train` would run again when one of the networks' defaults is edited. With these
files only those run again whose own complete settings changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from panelbench.config import Settings
from panelbench.errors import InputError
from panelbench.files import read_json, write_json
from panelbench.models.settings import ExperimentSettings, own_seeds

DECLARED = Path("data/settings")


def write_declared(settings: Settings, experiments: Mapping[str, ExperimentSettings], folder: Path) -> None:
    """Write `folder`/<experiment>.json for every experiment, and remove the files of others.

    Parameters
    ----------
    experiments
        Complete settings, as `registry.resolve` gives them.
    """
    for name, experiment in experiments.items():
        write_json(folder / f"{name}.json", _content(settings, experiment))
    for path in folder.glob("*.json"):
        if path.stem not in experiments:
            path.unlink()


def require_declared(settings: Settings, name: str, experiment: ExperimentSettings, folder: Path) -> None:
    """Refuse to go on with settings that are not those in `folder`/<experiment>.json, if there is one.

    DVC would keep the result as that file's, and give it back whenever those settings return.

    Raises
    ------
    InputError
        If params.yaml has been edited since the file was written.
    """
    path = folder / f"{name}.json"
    if path.is_file() and read_json(path) != json.loads(json.dumps(_content(settings, experiment))):
        raise InputError(
            f"experiments.{name}: params.yaml was edited meanwhile: {path} holds other settings than "
            "those to be trained. Run `panelbench validate` and then `dvc repro`; finished seeds are kept."
        )


def _content(settings: Settings, experiment: ExperimentSettings) -> dict[str, Any]:
    return {
        "settings": experiment.model_dump(mode="json", exclude={"seeds"}),
        "seeds": own_seeds(experiment, settings.seeds),
        "split": settings.split.model_dump(mode="json"),
        "threads": settings.execution.threads,
    }
