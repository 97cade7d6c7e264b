"""Keep a link to the user's data in a folder that DVC watches.

A stage's dependencies are fixed in dvc.yaml, the user's file is named in params.yaml. The stage `fetch`
therefore depends on `data/user/`, and a file outside that folder gets a link in it. DVC hashes what a
link points to, so an edit of the file reruns `fetch` wherever the file lies.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from panelbench.errors import RunFailure
from panelbench.panel.raw import locate

WATCHED = Path("data/user")
LINKS = WATCHED / ".linked"


def watch(path: str | None, root: Path) -> None:
    """Link the file, or every file of the folder, that `panel.path` names; remove older links.

    Parameters
    ----------
    path
        The user's file or folder, relative to `root` or absolute; None for a panel that has none.
    root
        The repository's root.

    Raises
    ------
    InputError
        If nothing usable is at `path`.
    RunFailure
        If a link cannot be made.
    """
    links = root / LINKS
    if links.is_symlink() or links.is_file():
        links.unlink()
    shutil.rmtree(links, ignore_errors=True)
    if path is None:
        return
    origin = locate(path, root).resolve()
    if origin.is_relative_to((root / WATCHED).resolve()):
        return
    files = sorted(file for file in origin.iterdir() if file.is_file()) if origin.is_dir() else [origin]
    try:
        links.mkdir(parents=True, exist_ok=True)
        for file in files:
            (links / file.name).symlink_to(file)
    except OSError as error:
        raise RunFailure(
            f"{links} cannot hold a link to {origin} ({error.strerror}). Copy the data into {WATCHED}/ and "
            "name it there."
        ) from error
