"""Small shared steps for raw files: find the user's path, copy it, check a hash."""

from __future__ import annotations

import shutil
from pathlib import Path

from panelbench.errors import InputError, RunFailure
from panelbench.files import replacing, sha256


def user_path(path: str, raw: Path) -> Path:
    """Return the existing file or folder that `panel.path` names.

    Relative paths start at the working directory, which is the folder of params.yaml; `~` is the home folder.

    Raises
    ------
    InputError
        As in `locate`, or if it lies in `raw`, whose contents the pipeline itself replaces.
    """
    found = locate(path, Path())
    if found.resolve().is_relative_to(raw.resolve()):
        raise InputError(
            f"params.yaml: panel.path is '{path}', which lies in {raw}, the pipeline's own folder for raw "
            "files. "
            "Move it to data/user/ and name it there."
        )
    return found


def locate(path: str, root: Path) -> Path:
    """Return the file or folder that `panel.path` names, relative to `root`, absolute or in `~`.

    Raises
    ------
    InputError
        If nothing is there, it cannot be looked for (links in a circle, an unknown user's home), or it is
        neither a file nor a folder: a pipe would be waited for, a device never ends.
    """
    try:
        found = root / Path(path).expanduser()
        there = found.resolve().exists()
    except (OSError, RuntimeError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise InputError(
            f"params.yaml: panel.path is '{path[:100]}', which cannot be looked up: {reason}. Name a file or "
            "folder, best under data/user/."
        ) from error
    if not there:
        raise InputError(
            f"params.yaml: panel.path is '{path}', and nothing is there (looked for {found.absolute()}). "
            "Relative paths start at the folder of params.yaml; data/user/ is the usual place for your own "
            "files."
        )
    if not (found.is_file() or found.is_dir()):
        raise InputError(
            f"params.yaml: panel.path is '{path}', which is neither a file nor a folder. Copy its content "
            "into a file under data/user/ and name that."
        )
    return found


def copy(origin: Path, target: Path) -> str:
    """Copy `origin` over `target` unless the bytes are the same already; return their SHA-256.

    Raises
    ------
    InputError
        If `origin` cannot be read.
    RunFailure
        If `target` cannot be written.
    """
    try:
        wanted = sha256(origin)
    except OSError as error:
        raise InputError(f"{origin} cannot be read: {error.strerror}.") from error
    if not has_hash(target, wanted):
        with replacing(target) as temporary:
            shutil.copyfile(origin, temporary)
    return wanted


def has_hash(path: Path, expected: str) -> bool:
    """Return whether `path` is a file whose SHA-256 is `expected`."""
    return path.is_file() and sha256(path) == expected


def require_own(path: Path, expected: str | None) -> None:
    """Refuse a file of the user's that does not have the hash it should have; None for any.

    Raises
    ------
    InputError
        Naming both hashes.
    """
    if expected is None:
        return
    try:
        found = sha256(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if found != expected:
        raise InputError(
            f"params.yaml: panel.path is '{path}', which has SHA-256 {found}, but {expected} is expected: it "
            "is cut off, changed, or another file. Fetch it again, or take panel.path out so that it is "
            "downloaded."
        )


def require_hash(path: Path, expected: str, what: str) -> None:
    """Refuse a file whose content is not the expected one.

    Raises
    ------
    RunFailure
        Naming both hashes.
    """
    found = sha256(path)
    if found != expected:
        raise RunFailure(
            f"{what} has SHA-256 {found}, but {expected} is expected: the content is not the published one "
            "(a broken "
            "download, or a changed file). Delete it and run `dvc repro` again; nothing of it was used."
        )
