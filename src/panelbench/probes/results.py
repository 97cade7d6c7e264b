"""What a probe found: one row a fit, and what is needed to read it; reports/probes/<name>.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from panelbench.config import Strict
from panelbench.errors import InputError
from panelbench.files import read_json, write_json

FOLDER = Path("reports/probes")


class Fit(Strict):
    """One training of one model.

    Attributes
    ----------
    error
        Mean squared error (reach, depth) or root mean squared error in the panel's unit (size, heads) on
        data that was not learned from; None where training diverged.
    seconds
        Processor time of the fit, one thread.
    """

    seed: int
    error: float | None
    seconds: float
    parameters: int


class ReachRow(Fit):
    """One network at one k."""

    model: str
    steps_back: int
    silent: bool


class DepthRow(Fit):
    """One stack; `gradients` are the norms of its layers' gradients before the first update."""

    norm: str
    layers: int
    warmup_steps: int
    gradients: tuple[float, ...]


class SizeRow(Fit):
    """One model on one amount of data; `share` is 1 for the whole panel, 10 for a panel ten times larger."""

    model: str
    share: float
    windows: int


class HeadsRow(Fit):
    """One Transformer."""

    heads: int


class LengthsRow(Strict):
    """One training step of one model at one length, a window; `models/cost.py` says how it is measured.

    Attributes
    ----------
    turn
        Which measurement of several.
    seconds, mib
        Wall time and memory, a window; `mib` is None where the system does not tell.
    windows
        That went through the step together.
    """

    model: str
    length: int
    turn: int
    windows: int
    seconds: float
    mib: float | None


RowT = TypeVar("RowT", bound=Strict)


class Result(Strict, Generic[RowT]):
    """A probe's rows, the settings they come from and the machine."""

    probe: str
    settings: dict[str, Any]
    machine: dict[str, str]
    rows: tuple[RowT, ...]


ROWS: dict[str, type[Strict]] = {
    "reach": ReachRow,
    "depth": DepthRow,
    "size": SizeRow,
    "heads": HeadsRow,
    "lengths": LengthsRow,
}


def save(result: Result[Any], folder: Path = FOLDER) -> Path:
    """Write a probe's result."""
    path = folder / f"{result.probe}.json"
    write_json(path, result.model_dump(mode="json"))
    return path


def read(name: str, folder: Path = FOLDER) -> Result[Any]:
    """Read a probe's result.

    Raises
    ------
    InputError
        If it is absent or not what the probe writes.
    """
    path = folder / f"{name}.json"
    if not path.is_file():
        raise InputError(f"{path} is not there. `make probes` makes it.")
    kind: Any = Result.__class_getitem__(ROWS[name])  # the rows' class is known at run time only
    try:
        found: Result[Any] = kind.model_validate_json(json.dumps(read_json(path)))
    except ValidationError as error:
        raise InputError(
            f"{path} is not a result of the probe. `panelbench probe {name}` makes it."
        ) from error
    return found
