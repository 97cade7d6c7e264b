"""Turn an experiment into jobs, one a seed."""

from __future__ import annotations

from pathlib import Path

from panelbench.config import Settings
from panelbench.errors import InputError
from panelbench.files import read_json
from panelbench.models.settings import ExperimentSettings
from panelbench.train.gpus import room_for_seeds
from panelbench.train.job import Job
from panelbench.train.provenance import available_cores, identify
from panelbench.train.record import Identity
from panelbench.train.request import make_request


def count_workers(settings: Settings) -> int:
    """Return how many processes work at a time: as told, or as many as cores and GPU have room for."""
    workers = settings.execution.workers
    if workers != "auto":
        return workers
    room = room_for_seeds() if _may_use_gpu(settings) else None
    cores = max(1, available_cores() // settings.execution.threads)
    return cores if room is None else min(cores, room)


def _may_use_gpu(settings: Settings) -> bool:
    usual = settings.defaults.get("device", "auto")
    return any(own.get("device", usual) in ("auto", "cuda") for own in settings.experiments.values())


def make_jobs(
    name: str,
    experiment: ExperimentSettings,
    seeds: tuple[int, ...],
    settings: Settings,
    root: Path,
    parts: Path,
    identity: Identity | None = None,
) -> list[Job]:
    """Return one job a seed.

    Parameters
    ----------
    parts
        The jobs' folders are made in it.
    identity
        Made once for many experiments; None to make it here.

    Raises
    ------
    InputError
        If there is no panel.
    """
    facts = root / "data" / "panel.json"
    described = read_json(facts)
    if not isinstance(described, dict):
        raise InputError(f"{facts} does not describe a panel. Run `dvc repro prepare --force`.")
    panel_sha256 = str(described.get("sha256", ""))
    identity = identity or identify(panel_sha256, settings.execution.threads)
    return [
        Job(
            experiment=name,
            settings=experiment.model_dump(mode="json"),
            deterministic=experiment.deterministic,
            seed=seed,
            split=settings.split,
            panel=str((root / "data" / "panel.parquet").resolve()),
            facts=str(facts.resolve()),
            folder=str((parts / str(seed)).resolve()),
            identity=identity,
            request=make_request(experiment, seed, settings.split, described, identity),
        )
        for seed in seeds
    ]
