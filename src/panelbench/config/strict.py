"""Settings classes that refuse what they do not know, and say what they would have accepted."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from panelbench.errors import InputError

SettingsT = TypeVar("SettingsT", bound="Strict")


class Strict(BaseModel):
    """A frozen group of settings: unknown keys, wrong types and non-finite numbers are errors.

    Every field's value is either what the user wrote or the default stated on the class, never a
    silent conversion (the text "3" is not the number 3; true is not 1).
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, protected_namespaces=()
    )


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Return a hint such as " Did you mean 'hidden'?", or an empty text when nothing is close."""
    close = difflib.get_close_matches(str(name), list(allowed), n=1, cutoff=0.6)
    return f" Did you mean '{close[0]}'?" if close else ""


def choices(allowed: Iterable[str]) -> str:
    """Return the allowed names as one readable list, sorted."""
    return ", ".join(sorted(allowed))


def parse(kind: type[SettingsT], content: Any, where: str, file: str = "params.yaml") -> SettingsT:
    """Turn a mapping from a settings file into settings of one kind.

    Parameters
    ----------
    kind
        The settings class.
    content
        What YAML gave for this place.
    where
        The place in the file, such as "experiments.rnn"; every message names it.
    file
        What the file is called in messages.

    Raises
    ------
    InputError
        Naming the key, the value found, what is allowed and the nearest allowed name.
    """
    if not isinstance(content, Mapping):
        raise InputError(
            f"{file}: {where or 'the file'} must be a group of keys ({choices(kind.model_fields)}), "
            f"not {describe(content)}."
        )
    try:
        return kind.model_validate(tuples(content))
    except ValidationError as error:
        problems = [_sentence(kind, problem, where, file) for problem in error.errors()]
        raise InputError(" ".join(problems)) from error


def tuples(content: Any) -> Any:
    """Return `content` with lists as tuples, the only sequences frozen settings hold."""
    if isinstance(content, Mapping):
        return {key: tuples(value) for key, value in content.items()}
    if isinstance(content, list):
        return tuple(tuples(value) for value in content)
    return content


def describe(value: Any) -> str:
    """Return a value as the user would recognise it: its text, shortened, and its kind."""
    text = repr(value)
    shown = text if len(text) <= 80 else text[:77] + "..."
    return f"{shown} ({type(value).__name__})"


def _sentence(kind: type[Strict], problem: Any, where: str, file: str) -> str:
    """Turn one pydantic problem into one sentence."""
    place = ".".join(_on_one_line(part) for part in (where, *problem["loc"]) if str(part))
    if problem["type"] == "extra_forbidden":
        key = _on_one_line(problem["loc"][-1])
        fields = _fields_at(kind, problem["loc"][:-1])
        return (
            f"{file}: {place}: '{key}' is not a setting here.{nearest(key, fields)} "
            f"Allowed: {choices(fields)}."
        )
    if problem["type"] == "missing":
        return f"{file}: {place} is missing; it has no default."
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{file}: {place} is {describe(problem['input'])}: {message[:1].lower()}{message[1:]}."


def _on_one_line(key: Any) -> str:
    """Return a key as it is, or with line breaks and control characters written out."""
    text = str(key)
    return text if text.isprintable() else repr(text)[1:-1]


def _fields_at(kind: type[Strict], location: tuple[Any, ...]) -> list[str]:
    """Return the field names of the group that `location` points to, through named groups of groups."""
    for part in location:
        field = kind.model_fields.get(str(part))
        if field is None:  # the name of one group among several of the same kind
            continue
        for inner in (field.annotation, *get_args(field.annotation)):
            if isinstance(inner, type) and issubclass(inner, Strict):
                kind = inner
    return list(kind.model_fields)
