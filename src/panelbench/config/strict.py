"""Settings classes that refuse what they do not know, and say what they would have accepted."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

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


UNSEEN = {"Cc", "Cs", "Zl", "Zp"}
"""Unicode categories of what has no place in one line: control characters, halves of pairs, line breaks."""
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that reverse the direction of what follows them, also beyond the text they stand in."""


def is_one_line(text: str) -> bool:
    """Return whether `text` can stand in a table, a message or a terminal without disturbing it."""
    return not any(one in TURNING or unicodedata.category(one) in UNSEEN for one in text)


def _one_line(text: str) -> str:
    if not is_one_line(text):
        raise ValueError("this must be one line, without control characters")
    return text


Line = Annotated[str, AfterValidator(_one_line)]
"""Text that is shown to readers."""


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
        problems = [_sentence(kind, problem, where, file) for problem in _causes(error.errors())]
        raise InputError(" ".join(problems)) from error


def tuples(content: Any) -> Any:
    """Return `content` with lists as tuples, the only sequences frozen settings hold."""
    if isinstance(content, Mapping):
        return {key: tuples(value) for key, value in content.items()}
    if isinstance(content, list):
        return tuple(tuples(value) for value in content)
    return content


def describe(value: Any) -> str:
    """Return a value as YAML's words have it: its text, shortened, and its kind."""
    if value is None:
        return "null (no value)"
    text = repr(_lists(value))
    shown = text if len(text) <= 80 else text[:77] + "..."
    return f"{shown} ({KINDS.get(type(value), type(value).__name__)})"


KINDS: Mapping[type, str] = {
    str: "text",
    int: "number",
    float: "number",
    bool: "true or false",
    tuple: "list",
    list: "list",
    dict: "group of keys",
    bytes: "binary",
}


def _lists(content: Any) -> Any:
    """Return `content` with tuples as the lists they were in the file."""
    if isinstance(content, Mapping):
        return {key: _lists(value) for key, value in content.items()}
    if isinstance(content, tuple | list):
        return [_lists(value) for value in content]
    return content


def _causes(problems: list[Any]) -> list[Any]:
    """Leave out complaints that a list is too short where the reason is that its entries were refused."""
    places = [problem["loc"] for problem in problems]
    return [
        one
        for one in problems
        if one["type"] != "too_short"
        or not any(
            len(place) > len(one["loc"]) and place[: len(one["loc"])] == one["loc"] for place in places
        )
    ]


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
    message = _message(problem)
    if problem["type"] == "value_error" and isinstance(problem["input"], Mapping | Strict):
        return f"{file}: {place}: {message}."  # about the group's keys, which the message names itself
    return f"{file}: {place} is {describe(problem['input'])}: {message}."


def _message(problem: Any) -> str:
    """Return what is wrong in the words of a settings file, where pydantic has Python's."""
    kind, context = problem["type"], problem.get("ctx", {})
    if kind in {"dict_type", "model_type"}:
        return "a group of keys is needed"
    if kind == "tuple_type":
        return "a list is needed, as in [a, b]"
    if kind in {"int_type", "int_from_float"}:
        return "a whole number is needed"
    if kind == "too_short" and "min_length" in context:
        return f"at least {context['min_length']} must be named"
    if kind == "too_long" and "max_length" in context:
        return f"at most {context['max_length']} may be named, not {context.get('actual_length', 'more')}"
    message = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
    return message[:1].lower() + message[1:]


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
