"""Look into a zip with the raw M5 files before anything of it is read: sizes, names, how it is packed."""

from __future__ import annotations

import lzma
import stat
import zipfile
import zlib
from pathlib import Path

from panelbench.errors import InputError

NAMES = ("calendar.csv", "sell_prices.csv", "sales_train_evaluation.csv")
LARGEST = 1_000_000_000
"""Bytes of one download, and of one file once unpacked; the real ones stay below 0.25 GB."""
LARGEST_CALENDAR = 10_000_000
"""Bytes of the calendar, which is read as a whole; the real one has 0.1 MB."""
MOST_PACKED, FREE = 100, 1_000_000
"""How many times larger than packed a file of more than FREE bytes may be; the real ones stay below 20."""

BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError)
"""What zipfile raises for damaged content, by the method it was packed with."""


def check_zip(path: Path, what: str) -> dict[str, zipfile.ZipInfo]:
    """Return where in the zip each of the three files is.

    Members are only ever read as streams, never extracted, so no path in the zip can write anywhere.

    Raises
    ------
    InputError
        If it is no zip, lacks one of the files, holds it twice, would unpack to an absurd size, or has a
        member that leads out of its folder or is a link: no tool packs the data set so.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [entry for entry in archive.infolist() if not entry.is_dir()]
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise InputError(
            f"{what} cannot be opened as a zip ({error}): it is cut off or no zip. Fetch or pack it again."
        ) from error
    for entry in members:
        _require_plain(entry, what)
    found = {}
    for name in NAMES:
        # Archives made on a Mac carry a shadow "__MACOSX/._name" of every file.
        same = [
            entry
            for entry in members
            if Path(entry.filename).name == name and "__MACOSX" not in entry.filename
        ]
        if len(same) != 1:
            raise InputError(
                f"{what} holds {len(same)} files named {name}; exactly one of each of {', '.join(NAMES)} is "
                "needed."
            )
        size, packed = same[0].file_size, same[0].compress_size
        check_size(name, size, what)
        if size > max(FREE, MOST_PACKED * packed):
            raise InputError(
                f"{what} has a {name} of {packed:,} bytes that unpack to {size:,}, more than {MOST_PACKED} "
                "times as many: this is not the data set. Pack the three published files."
            )
        found[name] = same[0]
    _require_readable(path, found, what)
    return found


def check_size(name: str, size: int, what: str) -> None:
    """Refuse a file that is far larger than the published one.

    Raises
    ------
    InputError
        With the size and the limit.
    """
    limit = min(LARGEST, LARGEST_CALENDAR) if name == NAMES[0] else LARGEST
    if size > limit:
        raise InputError(
            f"{what} has a {name} of {size:,} bytes; {limit:,} is the limit, and the published file is far "
            "smaller. Use that one."
        )


def _require_plain(entry: zipfile.ZipInfo, what: str) -> None:
    """Refuse a member that could write elsewhere if somebody unpacked the archive."""
    name = entry.filename.replace("\\", "/")
    if name.startswith("/") or ".." in name.split("/") or ":" in name.split("/")[0]:
        problem = "which leads out of the folder it is unpacked in"
    elif stat.S_ISLNK(entry.external_attr >> 16):
        problem = "which is a link"
    else:
        return
    raise InputError(
        f"{what} has a member named {name[:100]!r}, {problem}; nothing of it is read. Pack the three files "
        "again."
    )


def _require_readable(path: Path, members: dict[str, zipfile.ZipInfo], what: str) -> None:
    """Refuse members that are encrypted or packed by a method that Python does not know."""
    with zipfile.ZipFile(path) as archive:
        for name, member in members.items():
            try:
                with archive.open(member) as stream:
                    stream.read(1)
            except (RuntimeError, NotImplementedError, OSError, EOFError, *BROKEN) as error:
                raise InputError(
                    f"{what} has a {name} that cannot be unpacked ({error}). Pack the three files again as a "
                    "plain zip without a password."
                ) from error
