"""Read files of claims, strictly: unknown keys, kinds, facts and repeated ids are errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from panelbench.compare.claims.figures import FIGURES, Fact, Figure
from panelbench.compare.claims.kinds import KINDS, Claim, kind_of
from panelbench.config.load import read_yaml
from panelbench.config.strict import choices, describe, nearest, parse
from panelbench.errors import InputError

LONGEST_ABOUT = 1000


@dataclass(frozen=True)
class Entry:
    """One claim and the file it stands in."""

    file: str
    claim: Claim


@dataclass(frozen=True)
class Ledger:
    """The claims of all files, in order, and what those files that say so are about."""

    entries: tuple[Entry, ...]
    about: tuple[str, ...]


def load_ledger(files: Sequence[str], root: Path = Path()) -> Ledger:
    """Read every claim of the named files.

    Parameters
    ----------
    files
        Paths relative to `root`, as under `claims` in params.yaml.

    Raises
    ------
    InputError
        With the file, the claim's id, the key, what is allowed and the nearest name.
    """
    entries: list[Entry] = []
    seen: dict[str, str] = {}
    abouts: list[str] = []
    for file in files:
        about, claims = _read(root, file)
        abouts += [about] if about else []
        for claim in claims:
            if claim.id in seen:
                raise InputError(
                    f"{file}: the id '{claim.id}' is taken already in {seen[claim.id]}; ids must differ."
                )
            seen[claim.id] = file
            entries.append(Entry(file, claim))
    return Ledger(tuple(entries), tuple(abouts))


def _read(root: Path, file: str) -> tuple[str | None, list[Claim]]:
    path = root / file
    if not path.resolve().is_relative_to(root.resolve()):
        raise InputError(f"params.yaml: claims: {file} leads out of the repository; put the file inside it.")
    if not path.is_file():
        raise InputError(f"params.yaml: claims names '{file}', and no such file is there.")
    content = read_yaml(path)
    claims = content.get("claims") if isinstance(content, Mapping) else None
    if not isinstance(claims, list) or not claims or not set(content) <= {"about", "claims"}:
        raise InputError(
            f"{file} must hold the key `claims` with a list of claims, may hold `about`, and nothing else. "
            "See docs/claims.md."
        )
    about = content.get("about")
    if about is not None and not (isinstance(about, str) and 0 < len(about) <= LONGEST_ABOUT):
        raise InputError(f"{file}: about must be a text of at most {LONGEST_ABOUT} characters.")
    text = " ".join(about.split()) if about else None
    return text, [_claim(file, number, one) for number, one in enumerate(claims, start=1)]


def _claim(file: str, number: int, content: Any) -> Claim:
    if not isinstance(content, dict):
        raise InputError(f"{file}: claim {number} must be a group of keys, not {describe(content)}.")
    where = str(content.get("id") or f"claim {number}")
    kind = kind_of(content)
    if kind is None:
        found = content.get("kind")
        problem = "is missing" if found is None else f"is {describe(found)}"
        raise InputError(
            f"{file}: {where}.kind {problem}.{nearest(str(found), KINDS)} Allowed: {choices(KINDS)}."
        )
    if "measure" in kind.model_fields and "measure" in content:
        content = {**content, "measure": _figure(file, f"{where}.measure", content["measure"])}
    return parse(kind, content, where, file)


def _figure(file: str, where: str, content: Any) -> Figure:
    if not isinstance(content, Mapping):
        raise InputError(
            f"{file}: {where} must be a group such as {{score: rmse, experiment: rnn}}, "
            f"not {describe(content)}."
        )
    sources = [key for key in content if key in FIGURES]
    if len(sources) != 1:
        hint = next((text for key in content if (text := nearest(key, FIGURES))), "")
        raise InputError(
            f"{file}: {where} must name one source of a figure and has {len(sources)}.{hint} "
            f"Allowed: {choices(FIGURES)}."
        )
    figure = parse(FIGURES[sources[0]], content, where, file)
    if isinstance(figure, Fact) and figure.missing():
        raise InputError(f"{file}: {where}: the fact '{figure.fact}' needs {', '.join(figure.missing())}.")
    return figure
