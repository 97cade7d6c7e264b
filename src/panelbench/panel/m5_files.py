"""Where the three raw M5 files are: copied from the user, or downloaded from a mirror."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from panelbench.errors import InputError, PanelbenchError, RunFailure
from panelbench.files import read_json, sha256
from panelbench.panel import download as net
from panelbench.panel import raw
from panelbench.panel.m5_archive import LARGEST, NAMES, check_size, check_zip
from panelbench.panel.panel import RawFile
from panelbench.panel.settings import M5Settings

ZIP_NAME = "m5.zip"
MARKS = {
    "calendar.csv": b"wm_yr_wk",
    "sell_prices.csv": b"sell_price",
    "sales_train_evaluation.csv": b"store_id",
}
"""A column by which each file's header is known."""
Opener = Callable[[str], IO[bytes]]


def copy(path: Path, folder: Path, expected: str | None = None) -> list[RawFile]:
    """Copy a zip, or the three files of a folder, into `folder`.

    Parameters
    ----------
    expected
        The SHA-256 that the zip must have; None for any.

    Raises
    ------
    InputError
        If the zip or the folder lacks one of the three files, or the zip has another hash.
    """
    if path.is_file():
        raw.require_own(path, expected)
        check_zip(path, f"params.yaml: panel.path is '{path}', and this zip")
        return [RawFile(name=ZIP_NAME, sha256=raw.copy(path, folder / ZIP_NAME))]
    missing = [name for name in NAMES if not (path / name).is_file()]
    if missing:
        raise InputError(
            f"params.yaml: panel.path is the folder '{path}', which lacks {', '.join(missing)}. It needs "
            "the three raw "
            f"files {', '.join(NAMES)}; or name the prepared weekly CSV itself."
        )
    for name in NAMES:
        size = (path / name).stat().st_size
        check_size(name, size, f"params.yaml: panel.path is the folder '{path}', which")
    return [RawFile(name=name, sha256=raw.copy(path / name, folder / name)) for name in NAMES]


def download(settings: M5Settings, folder: Path) -> list[RawFile]:
    """Return the files of an earlier download if they are unchanged, else from the first mirror that works.

    Raises
    ------
    RunFailure
        With the reason of each mirror when none works.
    """
    kept = _kept(settings, folder)
    if kept:
        return kept
    reasons = []
    for url in settings.urls:
        try:
            files = _from_mirror(url, settings.sha256, folder)
        except PanelbenchError as error:
            reasons.append(f"{url}: {error}")
        else:
            for left in (*folder.glob("*.part"), *folder.glob("*.part.json")):
                left.unlink(missing_ok=True)
            return files
    raise RunFailure(
        f"The M5 archive could not be downloaded ({len(reasons)} mirrors tried). {' '.join(reasons)} Run "
        "`dvc repro` again "
        "to go on where it stopped; or name a local copy as panel.path in params.yaml; or run the made-up "
        "panel, which "
        "needs no network: `cp presets/synthetic.yaml params.yaml && dvc repro`."
    )


def _kept(settings: M5Settings, folder: Path) -> list[RawFile]:
    """Return the files that source.json says came from one of the mirrors, if their bytes are still those."""
    try:
        record = read_json(folder / "source.json")
        files = [RawFile.model_validate(entry) for entry in record["files"]]
    except (InputError, KeyError, TypeError, ValueError):
        return []
    wanted = settings.urls + tuple(url + name for url in settings.urls for name in NAMES)
    whole = [file.name for file in files] == [ZIP_NAME] or {file.name for file in files} == set(NAMES)
    if not whole or any(
        file.url not in wanted or not raw.has_hash(folder / file.name, file.sha256) for file in files
    ):
        return []
    if settings.sha256 is not None and files[0].name == ZIP_NAME and files[0].sha256 != settings.sha256:
        return []
    return files


def _from_mirror(url: str, expected: str | None, folder: Path) -> list[RawFile]:
    """Download from one mirror; nothing has its final name before everything is there and looks right."""
    names = NAMES if url.endswith("/") else (ZIP_NAME,)
    addresses = {name: url + name if url.endswith("/") else url for name in names}
    parts = {name: net.download(addresses[name], folder / name, largest=LARGEST) for name in names}
    for name, part in parts.items():
        try:
            _accept(name, part.path, expected)
        except PanelbenchError:
            part.forget()
            raise
    for name, part in parts.items():
        part.path.replace(folder / name)
        part.forget()
    return [RawFile(name=name, sha256=sha256(folder / name), url=addresses[name]) for name in names]


def _accept(name: str, path: Path, expected: str | None) -> None:
    """Refuse what is plainly not the file, such as the sign-in page of a network."""
    if name == ZIP_NAME:
        if expected is not None:
            raw.require_hash(path, expected, "the archive")
        check_zip(path, "the archive")
        return
    with path.open("rb") as file:
        header = file.readline(100_000)
    if MARKS[name] not in header:
        raise RunFailure(f"{name} does not begin with the header of the M5 data set.")


@contextmanager
def opened(folder: Path) -> Iterator[Opener]:
    """Yield a function that opens one of the three files by name, wherever it is.

    Raises
    ------
    InputError
        If neither the zip nor the files are in `folder`.
    """
    path = folder / ZIP_NAME
    if path.exists():
        members = check_zip(path, str(path))
        with zipfile.ZipFile(path) as archive:
            yield lambda name: archive.open(members[name])
        return
    missing = [name for name in NAMES if not (folder / name).exists()]
    if missing:
        raise InputError(f"{folder} lacks {', '.join(missing)}. `dvc repro` fetches them.")
    yield lambda name: (folder / name).open("rb")
