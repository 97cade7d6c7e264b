"""Read params.yaml: unknown groups, missing groups and dangling names are errors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from panelbench.config.robustness import check_robustness
from panelbench.config.safe_yaml import read_yaml
from panelbench.config.settings import Settings
from panelbench.config.strict import choices, describe, nearest, parse
from panelbench.errors import InputError

__all__ = ["load", "read_yaml"]


def load(path: Path = Path("params.yaml")) -> Settings:
    """Read params.yaml.

    Returns
    -------
    Settings
        Typed and frozen. The source's and the models' own keys are checked by
        `panel.registry.resolve` and `models.registry.resolve`.

    Raises
    ------
    InputError
        One paragraph with the key, the value, what is allowed and the nearest name.
    """
    if not path.exists():
        raise InputError(
            f"{path} cannot be read: there is none in {path.absolute().parent}. Run panelbench in the folder "
            "of the repository; where the file is gone, a preset replaces it: `cp presets/rossmann.yaml "
            "params.yaml`, or `cp presets/smoke.yaml params.yaml` for a first try in a minute."
        )
    content = read_yaml(path)
    if not isinstance(content, dict):
        found = "is empty" if content is None else f"holds {describe(content)}"
        raise InputError(
            f"{path} {found}; it must hold the groups {choices(Settings.model_fields)}. "
            "`cp presets/smoke.yaml params.yaml` gives a complete file to begin with."
        )
    settings = parse(Settings, content, "")
    _require_groups(content)
    _check_references(settings)
    return _quick(settings)


def _require_groups(content: Mapping[str, Any]) -> None:
    """Refuse a file without a group that dvc.yaml names: DVC would stop there, after hours of training."""
    missing = [name for name in Settings.model_fields if name not in content]
    if missing:
        written = ", ".join(f"`{name}: {'[]' if name == 'claims' else '{}'}`" for name in missing)
        raise InputError(
            f"params.yaml: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing; DVC needs "
            f"every group to be there, also an empty one. For the defaults write {written}; presets/ shows "
            "every key."
        )


def _check_references(settings: Settings) -> None:
    """Refuse ablations, a reference and protocols that name an experiment which is not declared."""
    declared = settings.experiments
    named = [
        (f"ablations.{title}", name)
        for title, ablation in settings.ablations.items()
        for name in (ablation.baseline, *ablation.variants)
    ]
    if settings.compare.reference != "auto":
        named.append(("compare.reference", settings.compare.reference))
    for where, name in named:
        if name not in declared:
            raise InputError(
                f"params.yaml: {where} names '{name}', which is not under experiments."
                f"{nearest(name, declared)} Declared: {choices(declared)}."
            )
    for title, ablation in settings.ablations.items():
        names = (ablation.baseline, *ablation.variants)
        if len(set(names)) < len(names):
            raise InputError(f"params.yaml: ablations.{title} names an experiment twice: {', '.join(names)}.")
    check_robustness(settings.robustness, declared, _seeds(settings))


def _seeds(settings: Settings) -> set[int]:
    """Return every seed that some experiment is run with."""
    lists = [settings.seeds, *(own.get("seeds") for own in settings.experiments.values())]
    return {seed for seeds in lists if isinstance(seeds, tuple) for seed in seeds if isinstance(seed, int)}


def _quick(settings: Settings) -> Settings:
    """Shorten every list of seeds and say in the report's title that the study was cut.

    Epochs are cut where a model's settings are resolved, since only there it is known who has them.
    """
    caps = settings.quick
    said = [
        f"at most {count} {what if count > 1 else what.removesuffix('s')}"
        for count, what in ((caps.seeds, "seeds"), (caps.epochs, "epochs"))
        if count is not None
    ]
    if not said:
        return settings
    title = f"Quick look, {' and '.join(said)}: {settings.report.title}"
    experiments = {
        name: {
            key: value[: caps.seeds] if key == "seeds" and isinstance(value, tuple) else value
            for key, value in own.items()
        }
        for name, own in settings.experiments.items()
    }
    return settings.model_copy(
        update={
            "seeds": settings.seeds[: caps.seeds],
            "experiments": experiments,
            "report": settings.report.model_copy(update={"title": title}),
        }
    )
