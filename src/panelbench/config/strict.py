"""Settings classes that refuse what they do not know, and say what they would have accepted."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from panelbench.config.problems import sentences
from panelbench.config.words import choices, describe, nearest
from panelbench.errors import InputError

__all__ = ["Line", "Strict", "choices", "describe", "is_one_line", "nearest", "parse", "tuples"]

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
        raise InputError(sentences(kind, error.errors(), where, file)) from error


def tuples(content: Any) -> Any:
    """Return `content` with lists as tuples, the only sequences frozen settings hold."""
    if isinstance(content, Mapping):
        return {key: tuples(value) for key, value in content.items()}
    if isinstance(content, list):
        return tuple(tuples(value) for value in content)
    return content
