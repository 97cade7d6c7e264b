"""Read params.yaml safely: duplicates, unknown groups and dangling names are errors."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from panelbench.config.robustness import check_robustness
from panelbench.config.settings import Settings
from panelbench.config.strict import choices, nearest, parse
from panelbench.errors import InputError

MAX_BYTES = 1_000_000
PLAIN = {
    "int": re.compile(r"[-+]?(0|[1-9][0-9]*)"),
    "float": re.compile(
        r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
    ),
}
"""How numbers may be written. YAML 1.1, read here, takes 010 for 8 and 1:30 for 90; YAML 1.2, which DVC
reads, does not, so the two would disagree about the settings."""
BY_DVC = {"execution": ("threads",)}
"""Keys of a group that dvc.yaml names one by one."""


class _Loader(yaml.SafeLoader):
    """YAML's safe loader, which also refuses a key given twice and any alias.

    Plain YAML keeps the last of two equal keys without a word: an experiment would vanish. Aliases let
    a few lines expand to gigabytes, and DVC does not need them.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.constructor.ConstructorError(
                None, None, "aliases (*name) are not used here; write the keys out", event.start_mark
            )
        return super().compose_node(parent, index)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        kind = str(node.tag).rpartition(":")[2]
        if kind in PLAIN and isinstance(node, yaml.ScalarNode) and not PLAIN[kind].fullmatch(node.value):
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"{node.value!r} is a number that YAML versions read differently; write it in plain decimal "
                "digits, or in quotes if it is text",
                node.start_mark,
            )
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError) as error:  # a date that does not exist, a number of 5,000 digits
            raise yaml.constructor.ConstructorError(
                None, None, f"{str(node.value)[:40]!r} cannot be read ({error})", node.start_mark
            ) from error

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} is not text; put it in quotes", key_node.start_mark
                )
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def read_yaml(path: Path) -> Any:
    """Read one YAML file without aliases or duplicate keys.

    Raises
    ------
    InputError
        If the file is absent, too large, not UTF-8 or not YAML; names the line.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} has more than {MAX_BYTES:,} bytes; a settings file is far smaller.")
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text ({error}). Save it as UTF-8.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a subclass of the safe loader
    except RecursionError as error:
        raise InputError(f"{path} is nested too deeply for a settings file.") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(
            f"{path}, line {line}: the character U+{ord(text[error.position]):04X} may not stand in YAML; "
            "delete it."
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or error
        raise InputError(f"{path}{place}: {problem}.") from error


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
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise InputError(f"{path} must hold the groups {choices(Settings.model_fields)}.")
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
    for group, keys in BY_DVC.items():
        for key in keys:
            if key not in content[group]:
                default = Settings.model_fields[group].default.model_dump()[key]
                raise InputError(
                    f"params.yaml: {group}.{key} is missing; DVC needs it to be there. The usual value is "
                    f"`{key}: {default}`."
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
