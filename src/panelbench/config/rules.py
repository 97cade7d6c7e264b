"""Rules that several groups of settings share: what a name may be, and that seeds differ."""

from __future__ import annotations

import re
from typing import Any

NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
"""A name is a folder, a stage, an anchor, a word of a command: small letters, digits and underscores only.
The first is a letter, because DVC reads keys such as 1e5 as numbers."""
NAME_RULE = (
    "use 1 to 60 small letters, digits and underscores, beginning with a letter, as in 'rnn_100_epochs'"
)


def plain_names(named: dict[str, Any]) -> dict[str, Any]:
    """Return a group of settings by name, if every name may stand in a path and a command.

    Raises
    ------
    ValueError
        Naming the first name that is not allowed, and the rule.
    """
    for name in named:
        if not NAME.fullmatch(name):
            raise ValueError(f"the name {name!r} is not allowed; {NAME_RULE}")
    return named


def distinct_seeds(seeds: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return seeds, if each is given once; None for none of their own.

    Raises
    ------
    ValueError
        If a seed is given twice.
    """
    if seeds is not None and len(set(seeds)) < len(seeds):
        raise ValueError("each seed may appear once; a repeated run is no new evidence")
    return seeds
