"""What may be asked of experiments with several horizons, or with a split that leaks.

One params.yaml may hold one-step and multi-step experiments; they are scored side by side and never against
each other. A question that would do so is refused here, before anything runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from panelbench.errors import InputError

if TYPE_CHECKING:
    from panelbench.config.settings import Settings
    from panelbench.models.settings import ExperimentSettings


def check_tasks(settings: Settings, resolved: Mapping[str, ExperimentSettings]) -> None:
    """Refuse an ablation, a protocol or a reference that nothing sound could be said about.

    Raises
    ------
    InputError
        Naming the key, the experiments with their horizons, and the remedy.
    """
    questions = [
        (f"ablations.{title}", (ablation.baseline, *ablation.variants))
        for title, ablation in settings.ablations.items()
    ] + [
        (f"robustness.protocols.{name}", tuple(settings.robustness.cast(name).values()))
        for name in settings.robustness.protocols
    ]
    for where, names in questions:
        _require_one_horizon(where, names, resolved)
        _require_no_leak(where, names, resolved)
    reference = settings.compare.reference
    if reference in resolved:
        _require_no_leak("compare.reference", (reference,), resolved)


def _require_one_horizon(
    where: str, names: Sequence[str], resolved: Mapping[str, ExperimentSettings]
) -> None:
    first = names[0] if names else ""
    other = next((name for name in names if resolved[name].horizon != resolved[first].horizon), None)
    if other is not None:
        raise InputError(
            f"params.yaml: {where} compares '{first}' (horizon {resolved[first].horizon}) with '{other}' "
            f"(horizon {resolved[other].horizon}). Their errors are over different steps and rows, so a "
            "difference between them means nothing. Name experiments of one horizon, and ask the question "
            "once for each horizon."
        )


def _require_no_leak(where: str, names: Sequence[str], resolved: Mapping[str, ExperimentSettings]) -> None:
    leaky = next((name for name in names if resolved[name].leaks), None)
    if leaky is not None:
        raise InputError(
            f"params.yaml: {where} names '{leaky}', whose split leaks (boundary: windows): it is trained on "
            "targets that it is scored on, so nothing may rest on its score. It is shown beside the others "
            "all the same; name a sound experiment here, or give this one boundary: targets."
        )
