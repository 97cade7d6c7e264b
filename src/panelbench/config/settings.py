"""The groups of params.yaml that do not depend on a panel's source or on a model.

The keys of one source live in `panel/settings.py`, the keys of one model in `models/settings.py`.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from panelbench.config.robustness import RobustnessSettings
from panelbench.config.rules import plain_names
from panelbench.config.strict import Line, Strict, is_one_line

PositiveInt = Annotated[int, Field(ge=1, le=10_000_000)]
Count = Annotated[int, Field(ge=0, le=10_000_000)]
MOST_WORKERS = 10_000
ADDRESS = re.compile(r"(tcp|tls)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")
"""Of a Dask scheduler: protocol, host name or IP address, port."""
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]


def _workers(value: Any) -> Any:
    """Refuse what is neither, in one sentence: pydantic would complain of each possibility."""
    whole = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_WORKERS
    if value != "auto" and not whole:
        raise ValueError(f"write auto, or a whole number from 1 to {MOST_WORKERS:,}")
    return value


def _address(value: str) -> str:
    """Refuse what Dask could not take for an address; it would try for a long time."""
    if not ADDRESS.fullmatch(value) or not 0 < int(value.rpartition(":")[2]) < 65_536:
        raise ValueError("write null, or an address such as tcp://192.168.0.10:8786")
    return value


class SplitSettings(Strict):
    """How the time axis is cut, the same for every experiment."""

    test_steps: PositiveInt = 26
    """Periods at the end that are scored once, when everything else is finished."""
    validation_steps: Count = 13
    """Periods just before the test block that are watched during training and never trained on."""


class AblationSettings(Strict):
    """One question asked by experiments that differ from a baseline in one setting."""

    baseline: str
    variants: Annotated[tuple[str, ...], Field(min_length=1)]


class ExecutionSettings(Strict):
    """How the work is spread over the machine."""

    workers: Annotated[Literal["auto"] | int, BeforeValidator(_workers)] = "auto"
    """Seeds trained at the same time; `auto` is one a core."""
    threads: PositiveInt = 1
    """Threads inside each of them; another number can change the last digits of a result."""
    backend: Literal["processes", "dask"] = "processes"
    """Where seeds are trained: in processes of this machine, or on the workers of a Dask cluster."""
    scheduler: Annotated[str, AfterValidator(_address)] | None = None
    """Address of the cluster's scheduler; null: a cluster on this machine, closed to all others."""


class QuickSettings(Strict):
    """Caps for a first look at a long study; a report made under them says so in its title."""

    epochs: PositiveInt | None = None
    """Epochs at most, for every network; null for what the experiments say."""
    seeds: PositiveInt | None = None
    """Seeds at most: the first of each list; null for all."""


class CompareSettings(Strict):
    """How models are compared."""

    reference: str = "auto"
    """The experiment that the others are compared to; `auto` is the one with the lowest mean RMSE."""
    confidence: Annotated[float, Field(gt=0.5, lt=1.0)] = 0.95
    block_length: PositiveInt = 4
    """Length in periods of a block of the moving-block bootstrap over target periods."""
    resamples: Annotated[int, Field(ge=100, le=100_000)] = 2000
    seed: Seed = 0


class ReportSettings(Strict):
    """What the report is called and what renders it."""

    title: Annotated[Line, Field(min_length=1, max_length=200)] = (
        "Which forecasting model is better on this panel?"
    )
    renderer: Literal["auto", "quarto", "builtin"] = "auto"


class Settings(Strict):
    """The whole of params.yaml.

    `panel`, `defaults` and `experiments` stay plain mappings here: what is allowed in them depends on
    the source and on the model, which higher layers know.
    """

    panel: dict[str, Any]
    split: SplitSettings = SplitSettings()
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1, max_length=1000)]
    defaults: dict[str, Any] = Field(default_factory=dict)
    experiments: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]
    ablations: dict[str, AblationSettings] = Field(default_factory=dict)
    execution: ExecutionSettings = ExecutionSettings()
    quick: QuickSettings = QuickSettings()
    compare: CompareSettings = CompareSettings()
    report: ReportSettings = ReportSettings()
    claims: tuple[str, ...] = ()
    """Files of claims to be judged, relative to the repository's root; see docs/claims.md."""
    robustness: RobustnessSettings = RobustnessSettings()

    @field_validator("claims")
    @classmethod
    def _claims_are_files_here(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        for path in paths:
            parts = PurePosixPath(path).parts
            if (
                not is_one_line(path)
                or path.startswith("/")
                or "\\" in path
                or ".." in parts
                or not path.endswith((".yaml", ".yml"))
            ):
                raise ValueError(
                    f"{path!r} must be a YAML file inside the repository, as in 'ledgers/lecture.yaml'"
                )
        if len(set(paths)) < len(paths):
            raise ValueError("each file of claims may appear once")
        return paths

    @field_validator("seeds")
    @classmethod
    def _seeds_are_distinct(cls, seeds: tuple[int, ...]) -> tuple[int, ...]:
        repeated = sorted({seed for seed in seeds if seeds.count(seed) > 1})
        if repeated:
            raise ValueError(
                f"each seed may appear once, and {repeated} do not; a repeated run is no new evidence"
            )
        return seeds

    _names_are_plain = field_validator("experiments", "ablations")(plain_names)
