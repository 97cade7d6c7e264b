"""Read YAML safely and without surprises.

No tags, no aliases, no key twice, and no value that versions of YAML read differently.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any, NoReturn

import yaml

from panelbench.config.words import describe, on_one_line
from panelbench.errors import InputError

__all__ = ["read_yaml"]

MAX_BYTES = 1_000_000
PLAIN = {
    "int": re.compile(r"[-+]?(0|[1-9][0-9]*)"),
    "float": re.compile(
        r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
    ),
    "bool": re.compile("true|True|TRUE|false|False|FALSE"),
}
"""How numbers and truth values may be written. YAML 1.1, read here, takes 010 for 8, 1:30 for 90 and no for
false; YAML 1.2, which DVC reads, does not, so the two would disagree about the settings."""
REMEDIES = {
    "int": "is a number that YAML versions read differently; write it in plain decimal digits, or in quotes "
    "if it is text",
    "bool": "is true or false in some YAML versions and text in others; write true or false, or in quotes if "
    "it is text",
    "float": "is a number that YAML versions read differently; write it in plain decimal digits, or in "
    "quotes if it is text",
    "merge": "stands for a merge of keys, which is not used here; write the keys out",
    "value": "has a meaning of its own in YAML; put it in quotes",
}
HINTS = {
    r"'\t'": " Indent with blanks, not with tabs.",
    "found character": " Put text that begins with such a character in quotes.",
    "mapping values are not allowed": " A colon within text needs quotes around the text; keys of one group "
    "begin in the same column.",
    "found another document": " One file holds one document: take out the line ---.",
    "while scanning a quoted": " Close the quotes.",
    "unexpected end of stream": " Quotes or a bracket above are not closed.",
    "expected ',' or": " A bracket is not closed, or a comma is missing.",
    "could not find expected ':'": " A key is followed by a colon and a blank.",
    "expected <block end>": " Keys of one group begin in the same column.",
    "expected the node content": " A bracket is not closed, or a value is missing.",
}
"""What usually helps, by words of the parser's message."""


class _Loader(yaml.SafeLoader):
    """YAML's safe loader, which also refuses a key given twice, any alias and any tag of its own.

    Plain YAML keeps the last of two equal keys without a word: an experiment would vanish. Aliases let
    a few lines expand to gigabytes, and DVC does not need them.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.events.AliasEvent):
            _refuse("aliases (*name) are not used here; write the keys out", event)
        tag = getattr(event, "tag", None)
        if tag is not None:
            _refuse(f"the tag {on_one_line(tag)} is not used here; write the value without it", event)
        return super().compose_node(parent, index)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        kind = str(node.tag).rpartition(":")[2]
        odd = kind in PLAIN and not PLAIN[kind].fullmatch(str(node.value))
        if odd or kind in {"merge", "value"}:
            _refuse(f"{on_one_line(node.value)!r} {REMEDIES[kind]}", node)
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError) as error:  # a date that does not exist, a number of 5,000 digits
            _refuse(f"{str(node.value)[:40]!r} cannot be read ({error})", node, error)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                plain = isinstance(key_node, yaml.ScalarNode)
                shown = on_one_line(key_node.value) if plain else describe(key)
                _refuse(f"the key {shown} is not text; put it in quotes", key_node)
            if key in seen:
                _refuse(f"the key '{on_one_line(key)}' is given twice; take one of them out", key_node)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def _refuse(problem: str, where: Any, cause: Exception | None = None) -> NoReturn:
    """Raise the error that yaml itself would raise at this node or event."""
    raise yaml.constructor.ConstructorError(None, None, problem, where.start_mark) from cause


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
        return yaml.load(text, Loader=_Loader)  # nosec B506 # noqa: S506 - a subclass of the safe loader
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
        problem = getattr(error, "problem", None) or str(error)
        hint = next((hint for words, hint in HINTS.items() if words in problem), "")
        raise InputError(f"{path}{place}: {problem}.{hint}") from error
