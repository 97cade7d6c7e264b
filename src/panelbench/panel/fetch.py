"""The stage that brings the raw files: `data/raw/` and its `source.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from panelbench.errors import InputError
from panelbench.files import read_json, write_json
from panelbench.panel.panel import RawFile
from panelbench.panel.raw import has_hash
from panelbench.panel.registry import resolve, source

RECORD = "source.json"


def fetch(settings: Mapping[str, Any], raw: Path) -> None:
    """Put the raw files of a panel's source into `raw`.

    Files that are there already with the right content are kept and need no network. Files of the source
    fetched before, which `source.json` lists, are removed; nothing else in the folder is touched.

    Parameters
    ----------
    settings
        The group `panel` of params.yaml.
    raw
        Folder, made if absent.

    Raises
    ------
    InputError
        If a setting or the user's own file cannot be used.
    RunFailure
        If the network or the disk fails, or content does not have the expected hash.
    """
    resolved = resolve(settings)
    before = _recorded(raw)
    files = source(resolved.source).fetch(resolved, raw)
    for name in before - {file.name for file in files}:
        (raw / name).unlink(missing_ok=True)
    write_json(
        raw / RECORD,
        {
            "source": resolved.source,
            "files": [file.model_dump() for file in sorted(files, key=lambda f: f.name)],
        },
    )


def fetched(raw: Path, name: str) -> tuple[RawFile, ...]:
    """Return what `source.json` lists, if it belongs to the source `name`.

    Raises
    ------
    InputError
        If the folder holds another source's files or the record is damaged.
    """
    record = read_json(raw / RECORD)
    try:
        files = tuple(RawFile.model_validate(entry) for entry in record["files"])
        found = record["source"]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{raw / RECORD} is damaged. Delete it and run `dvc repro`.") from error
    if found != name:
        raise InputError(
            f"{raw} holds files of the source '{found}', not '{name}'. Run `dvc repro` from the start."
        )
    for file in files:
        if not has_hash(raw / file.name, file.sha256):
            raise InputError(
                f"{raw / file.name} is not the file that {RECORD} describes (SHA-256 "
                f"{file.sha256[:12]}...): it is gone "
                "or was changed by hand. Run `dvc repro fetch --force`."
            )
    return files


def _recorded(raw: Path) -> set[str]:
    """Return the plain file names of an earlier fetch; a damaged record names none."""
    try:
        record = read_json(raw / RECORD)
        names = {str(entry["name"]) for entry in record["files"]}
    except (InputError, KeyError, TypeError):
        return set()
    return {name for name in names if Path(name).name == name}
