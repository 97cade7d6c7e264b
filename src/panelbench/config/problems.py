"""Turn what pydantic complains of into sentences about a settings file."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel

from panelbench.config.words import choices, describe, nearest, number_hint, on_one_line

MOST_PROBLEMS = 4
"""Problems that one message tells in full."""
BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "above"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "below"),
}


def sentences(kind: type[BaseModel], problems: list[Any], where: str, file: str) -> str:
    """Return one paragraph on all problems that validating settings of one kind found.

    Parameters
    ----------
    kind
        The settings class.
    problems
        What `ValidationError.errors()` gives.
    where
        The place in the file that was validated, such as "experiments.rnn".
    file
        What the file is called.
    """
    told = [_sentence(kind, problem, where, file) for problem in _causes(problems)]
    more = len(told) - MOST_PROBLEMS
    if more > 0:
        verb = "value is" if more == 1 else "values are"
        told = [*told[:MOST_PROBLEMS], f"{more} more {verb} wrong in {where or file}."]
    return " ".join(told)


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


def _sentence(kind: type[BaseModel], problem: Any, where: str, file: str) -> str:
    """Turn one pydantic problem into one sentence."""
    place = ".".join(on_one_line(part) for part in (where, *problem["loc"]) if str(part))
    if problem["type"] == "extra_forbidden":
        key = on_one_line(problem["loc"][-1])
        fields = _fields_at(kind, problem["loc"][:-1])
        return (
            f"{file}: {place}: '{key}' is not a setting here.{nearest(key, fields)} "
            f"Allowed: {choices(fields)}."
        )
    if problem["type"] == "missing":
        return f"{file}: {place} is missing; it has no default. The files in presets/ show it."
    message = _message(problem)
    if problem["type"] == "value_error" and isinstance(problem["input"], Mapping | BaseModel):
        return f"{file}: {place}: {message}."  # about the group's keys, which the message names itself
    return f"{file}: {place} is {describe(problem['input'])}: {message}.{_hint(problem)}"


def _message(problem: Any) -> str:
    """Return what is wrong in the words of a settings file, where pydantic has Python's."""
    kind, context, value = problem["type"], problem.get("ctx", {}), problem["input"]
    if kind in {"dict_type", "model_type"}:
        return "a group of keys is needed"
    if kind == "tuple_type":
        return "a list is needed, as in [a, b]"
    if kind in {"int_type", "int_from_float"}:
        return "a whole number is needed" + (", without quotes" if _is_digits(value) else "")
    if kind == "float_type":
        return number_hint(value) if isinstance(value, str) else "a number is needed"
    if kind == "finite_number":
        return "a finite number is needed"
    if kind == "bool_type":
        return "true or false is needed, without quotes"
    if kind == "string_type":
        quoted = isinstance(value, bool | int | float | datetime.date)
        return "text is needed" + ("; put it in quotes" if quoted else "")
    if kind in BOUNDS:
        key, words = BOUNDS[kind]
        return f"it must be {words} {_plain(context[key])}"
    if kind == "too_short" and "min_length" in context:
        return f"at least {context['min_length']} must be named"
    if kind == "too_long" and "max_length" in context:
        return f"at most {context['max_length']} may be named, not {context.get('actual_length', 'more')}"
    message = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
    return message[:1].lower() + message[1:]


def _hint(problem: Any) -> str:
    """Return the nearest of the allowed names, where a name was asked for and another one given."""
    if problem["type"] != "literal_error" or not isinstance(problem["input"], str):
        return ""
    return nearest(problem["input"], re.findall(r"'([^']*)'", problem["ctx"]["expected"]))


def _is_digits(value: Any) -> bool:
    return isinstance(value, str) and value.strip().isdecimal()


def _plain(bound: Any) -> str:
    """Return a bound as people write it: 0 for 0.0, 1,000,000 for 1000000."""
    return f"{int(bound):,}" if float(bound).is_integer() else f"{bound:g}"


def _fields_at(kind: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """Return the field names of the group that `location` points to, through named groups of groups."""
    for part in location:
        field = kind.model_fields.get(str(part))
        if field is None:  # the name of one group among several of the same kind
            continue
        for inner in (field.annotation, *get_args(field.annotation)):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                kind = inner
    return list(kind.model_fields)
