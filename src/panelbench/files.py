"""Write files whole or not at all, with the same bytes for the same content; read back what was written.

Every writer puts the content under a temporary name in the target's own folder and renames it, so a
run that is killed leaves either the old file or the new one and never half of one.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from panelbench.errors import InputError, RunFailure

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

ModelT = TypeVar("ModelT", bound=BaseModel)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that takes its place when the block ends without error.

    Raises
    ------
    RunFailure
        If the folder cannot be written or the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        os.close(handle)
    except OSError as error:
        raise RunFailure(f"{path} cannot be written: {error.strerror}.") from error
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    except OSError as error:
        raise RunFailure(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path` atomically."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    """Write `content` to `path` as UTF-8 with Unix line ends."""
    write_bytes(path, content.encode("utf-8"))


def write_json(path: Path, content: Any) -> None:
    """Write `content` as indented JSON in the order of its keys; NaN and infinity are refused."""
    write_text(path, json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def write_csv(path: Path, frame: pd.DataFrame) -> None:
    """Write `frame` without its index; numbers keep every digit needed to read the same value back."""
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))


def write_parquet(path: Path, frame: pd.DataFrame) -> None:
    """Write `frame` without its index as parquet (zstd), byte-identical for an identical frame."""
    with replacing(path) as temporary:
        frame.to_parquet(temporary, index=False, compression="zstd")


def write_npz(path: Path, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write named arrays as one uncompressed npz file that loads without pickle."""
    import numpy as np

    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **dict(arrays))
    write_bytes(path, buffer.getvalue())


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises
    ------
    InputError
        If the file is absent or is not JSON.
    """
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path} is not there. `dvc repro` makes it.") from error
    except ValueError as error:
        raise InputError(f"{path} is not valid JSON ({error}). Delete it and run `dvc repro`.") from error


def read_model(kind: type[ModelT], path: Path, fault: str, remedy: str) -> ModelT:
    """Read a JSON file as the class it was written from.

    Parameters
    ----------
    kind
        The class.
    path
        The file.
    fault
        What is said of a file of another form, such as "is not a comparison of this version".
    remedy
        What to do about it, such as "Run `dvc repro compare`."

    Raises
    ------
    InputError
        If the file is absent, is not JSON or has another form; the first place that differs is named.
    """
    read_json(path)  # for its own clear errors
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise InputError(f"{path} {fault} ({place}: {first['msg']}). {remedy}") from error


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
