"""What decides a seed's numbers, written down: equal requests give equal results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from panelbench.config.settings import SplitSettings
from panelbench.models import registry
from panelbench.models.settings import ExperimentSettings
from panelbench.train.closure import WORKER, Closure, closure
from panelbench.train.record import Identity

FORMAT = 1
"""Counted up when stored results must not be used any more although nothing they name has changed."""
NAMES_ONLY = frozenset({"label", "seeds"})
"""Settings that name a result or say which seeds there are; none of them reaches the model."""
WORDS = frozenset({"source", "title", "target_name", "unit", "notes", "files", "zero_rows"})
"""What panel.json says to readers. The rest (roles, frequency, season, hash) reaches models."""
DISTRIBUTIONS = {
    "numpy": ("numpy",),
    "pandas": ("pandas",),
    "scipy": ("scipy",),
    "sklearn": ("scikit-learn", "scipy"),
    "statsmodels": ("statsmodels", "scipy"),
    "torch": ("torch",),
    "xgboost": ("xgboost",),
}
"""The distributions whose versions can change the numbers of a model that imports a package."""


def make_request(
    experiment: ExperimentSettings,
    seed: int,
    split: SplitSettings,
    facts: Mapping[str, Any],
    identity: Identity,
) -> dict[str, Any]:
    """Return all that decides the numbers of one seed on one kind of machine, ready for JSON.

    The machine itself is not in it: `place.Place` is, and a result is stored under both.

    Parameters
    ----------
    facts
        The content of panel.json.
    identity
        Versions and threads of the run.
    """
    entry = registry.MODELS[experiment.model]
    code = code_of(experiment)
    settings = experiment.model_dump(mode="json", exclude=set(NAMES_ONLY))
    return {
        "format": FORMAT,
        "factory": entry.factory,
        "settings": settings,
        "derived": derived(experiment),
        "seed": seed,
        "split": split.model_dump(mode="json"),
        "panel": {name: value for name, value in facts.items() if name not in WORDS},
        "threads": identity.threads,
        "versions": used_versions(code, identity.versions),
        "code": code.sha256,
    }


def key_of(request: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a request, 64 hex digits."""
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def code_of(experiment: ExperimentSettings) -> Closure:
    """Return the code that runs of an experiment execute."""
    return closure(WORKER, *registry.modules_of(experiment))


def used_versions(code: Closure, versions: Mapping[str, str]) -> dict[str, str]:
    """Return the versions that matter for some code: another torch does not change a LASSO."""
    names = {name for library in code.libraries for name in DISTRIBUTIONS.get(library, ())}
    return {name: versions[name] for name in sorted({"python", *names}) if name in versions}


def derived(experiment: ExperimentSettings) -> dict[str, Any]:
    """Return the properties of a settings class: computed from its values by code that is not hashed."""
    kind = type(experiment)
    own = [
        name
        for name in dir(kind)
        if not name.startswith(("_", "model_")) and isinstance(getattr(kind, name), property)
    ]
    return {name: str(getattr(experiment, name)) for name in own}
