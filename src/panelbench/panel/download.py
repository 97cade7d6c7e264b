"""Download one large file: resume, retry, a size limit, progress.

What arrives is kept in a `.part` file with a note beside it, so that a later attempt, in this run or the
next, asks only for the rest. The caller gives the complete file its final name.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import requests
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from panelbench.errors import InputError, RunFailure
from panelbench.files import read_json, write_json
from panelbench.panel.settings import is_secure

ATTEMPTS = 4
BACKOFF = 1.0
"""Seconds before the second attempt; doubled before each further one."""
TIMEOUT = (10, 30)
"""Seconds to connect, and between two pieces."""
PIECE = 1 << 18
MOST_REDIRECTS = 5
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
REFUSED, RANGE_WRONG, PARTIAL = 400, 416, 206


class _RetryError(Exception):
    """An attempt failed in a way that another may not."""


class _Session(requests.Session):
    """Follows redirects only to addresses whose answer nobody on the way can change."""

    def __init__(self) -> None:
        super().__init__()
        self.max_redirects = MOST_REDIRECTS

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Return where the answer sends to, as requests does, unless that is not secure."""
        target: str | None = super().get_redirect_target(resp)
        if target is not None and not is_secure(urljoin(resp.url, target)):
            raise RunFailure(f"it sends on to {urljoin(resp.url, target)[:200]}, which is not https.")
        return target


@dataclass(frozen=True)
class Part:
    """A download under way: its file and the note that says what it is part of."""

    path: Path

    @property
    def note(self) -> Path:
        """The JSON file beside it: url, validator, complete."""
        return self.path.with_name(f"{self.path.name}.json")

    def known(self, url: str) -> dict[str, Any]:
        """Return the note if it speaks of `url` and there is something to continue, else nothing."""
        try:
            note = read_json(self.note)
        except InputError:
            return {}
        return note if isinstance(note, dict) and note.get("url") == url and self.path.exists() else {}

    def size(self) -> int:
        """Return the bytes that have arrived."""
        return self.path.stat().st_size if self.path.exists() else 0

    def forget(self) -> None:
        """Delete the file and its note."""
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)


def download(url: str, path: Path, *, largest: int) -> Part:
    """Download `url` to the `.part` file of `path`; complete when this returns.

    A rest is asked for with Range and If-Range, so a file that changed meanwhile starts anew.

    Parameters
    ----------
    url
        Address, https or on this machine; redirects are followed to such addresses only.
    path
        Where the complete file will go; nothing is written under this name.
    largest
        Bytes above which the download is refused.

    Raises
    ------
    RunFailure
        If the address does not answer, refuses, sends more than `largest` bytes or stops early too often.
    """
    if not is_secure(url):
        raise RunFailure(f"{url[:200]} is not an https address.")
    part = Part(path.with_name(f"{path.name}.part"))
    reason = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(BACKOFF * 2 ** (attempt - 1))
        try:
            part.path.parent.mkdir(parents=True, exist_ok=True)
            _attempt(url, part, largest)
        except _RetryError as error:
            reason = str(error)
        except requests.RequestException as error:
            reason = _reason(error)
            if isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidSchema):
                break
        except OSError as error:
            raise RunFailure(f"{part.path} cannot be written: {error.strerror or error}.") from error
        else:
            return part
    raise RunFailure(f"gave up after {attempt + 1} attempts; {reason}.")


def _reason(error: requests.RequestException) -> str:
    """Return in one short sentence why no answer came; the library's text names objects in memory."""
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection was cut"
    if isinstance(error, requests.exceptions.Timeout):
        return f"no answer within {TIMEOUT[1]} s"
    if isinstance(error, requests.exceptions.ConnectionError):
        text = str(error)
        known = {"resolve": "its name cannot be resolved", "refused": "it refused the connection"}
        found = [meaning for word, meaning in known.items() if word in text]
        return f"no connection: {found[0] if found else text[:200]}"
    return f"{type(error).__name__}: {str(error)[:200]}"


def _attempt(url: str, part: Part, largest: int) -> None:
    """Ask once for what is missing and write what comes."""
    known = part.known(url)
    if known.get("complete"):
        return
    headers = {"Accept-Encoding": "identity", "User-Agent": "panelbench"}
    have = part.size() if known.get("validator") else 0
    if have:
        headers |= {"Range": f"bytes={have}-", "If-Range": str(known["validator"])}
    with (
        _Session() as session,
        session.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response,
    ):
        start = _start(response, have, part)
        length = response.headers.get("Content-Length", "")
        total = start + int(length) if length.isdigit() else None
        if total is not None and total > largest:
            part.forget()
            raise RunFailure(f"it would send {total:,} bytes, more than the limit of {largest:,}.")
        note = {"url": url, "validator": _validator(response), "complete": False}
        write_json(part.note, note)
        _write(response, part, start, total, largest)
    if total is not None and part.size() < total:
        raise _RetryError(f"the connection ended after {part.size():,} of {total:,} bytes")
    write_json(part.note, {**note, "complete": True})


def _start(response: requests.Response, have: int, part: Part) -> int:
    """Return the position from which the answer goes on: `have`, or 0 when the server starts anew."""
    status = response.status_code
    if status in TRANSIENT:
        raise _RetryError(f"it answered {status} {response.reason}")
    if status == RANGE_WRONG:
        part.forget()
        raise _RetryError("the part kept from an earlier attempt did not fit and was deleted")
    if status >= REFUSED:
        raise RunFailure(f"it answered {status} {response.reason}.")
    if status != PARTIAL:
        return 0
    if not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
        part.forget()
        raise _RetryError("it sent another range than the one asked for")
    return have


def _validator(response: requests.Response) -> str | None:
    """Return what identifies this version of the file; a weak ETag does not promise equal bytes."""
    tag = response.headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified")


def _write(response: requests.Response, part: Part, start: int, total: int | None, largest: int) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = Console(stderr=True)
    bar = Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal
    )
    with bar, part.path.open("ab" if start else "wb") as file:
        task = bar.add_task(part.path.stem, total=total, completed=start)
        arrived = start
        for piece in response.iter_content(PIECE):
            arrived += len(piece)
            if arrived > largest:
                break
            file.write(piece)
            bar.update(task, completed=arrived)
    if arrived > largest:
        part.forget()
        raise RunFailure(f"it sent more than the limit of {largest:,} bytes.")
