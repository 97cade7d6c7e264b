"""Train one experiment: all its seeds in parallel processes, one folder of results."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from panelbench.config import Settings
from panelbench.config.strict import choices, nearest
from panelbench.errors import InputError
from panelbench.files import read_json
from panelbench.models import registry
from panelbench.models.settings import ExperimentSettings
from panelbench.train.job import Job
from panelbench.train.merge import merge_parts
from panelbench.train.pool import run_jobs
from panelbench.train.progress import SeedProgress
from panelbench.train.provenance import available_cores, identify
from panelbench.train.record import ExperimentRuns
from panelbench.train.signals import termination_raises
from panelbench.train.workspace import filling

RUNS = "runs.json"
PARTS = "parts"
UNFINISHED = Path("data/.unfinished")
"""Where work is done; outside data/runs, which other stages depend on as a whole."""


@dataclass(frozen=True)
class Outcome:
    """What `train` left.

    Attributes
    ----------
    runs
        The content of runs.json; `runs.finished` and `runs.failed` are its two kinds of run.
    folder
        Where everything is.
    """

    runs: ExperimentRuns
    folder: Path


def train(name: str, settings: Settings, root: Path = Path(), console: Console | None = None) -> Outcome:
    """Train every seed of one experiment and write `data/runs/<name>/` as a whole.

    A seed that fails is recorded and does not stop the others; no seed's result depends on another's or
    on the number of workers.

    Parameters
    ----------
    root
        The project's folder: `data/panel.parquet` and `data/panel.json` are read in it.

    Raises
    ------
    InputError
        If the experiment is not declared, or its settings do not fit the panel or the machine.
    RunFailure
        If the folder cannot be written.
    """
    if name not in settings.experiments:
        raise InputError(
            f"params.yaml: experiments has no '{name}'.{nearest(name, settings.experiments)} "
            f"Declared: {choices(settings.experiments)}."
        )
    experiment = registry.resolve(settings)[name]
    seeds = choose_seeds(experiment, settings.seeds)
    target = root / "data" / "runs" / name
    with termination_raises(), filling(target, root / UNFINISHED) as folder:
        jobs = make_jobs(name, experiment, seeds, settings, root, folder / PARTS)
        workers = min(len(jobs), count_workers(settings))
        with SeedProgress(name, len(jobs), console or Console()) as progress:
            records = run_jobs(jobs, workers, progress)
        runs = ExperimentRuns(
            experiment=name,
            label=experiment.label or name,
            model=experiment.model,
            settings=jobs[0].settings,
            runs=tuple(records),
        )
        finished = {run.seed for run in runs.finished}
        kept = [job for job in jobs if job.seed in finished]
        merge_parts([Path(job.folder) for job in kept], [job.seed for job in kept], folder)
        runs.save(folder / RUNS)
        shutil.rmtree(folder / PARTS)
    return Outcome(runs, target)


def choose_seeds(experiment: ExperimentSettings, common: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seeds to run, ascending: the experiment's own or the common ones.

    A deterministic model runs once, with the first seed named: its repetitions would be no evidence.
    """
    seeds = experiment.seeds if experiment.seeds is not None else common
    return seeds[:1] if experiment.deterministic else tuple(sorted(seeds))


def count_workers(settings: Settings) -> int:
    """Return how many processes work at a time: as told, or as many as the cores have room for."""
    workers = settings.execution.workers
    if workers == "auto":
        return max(1, available_cores() // settings.execution.threads)
    return workers


def make_jobs(
    name: str,
    experiment: ExperimentSettings,
    seeds: tuple[int, ...],
    settings: Settings,
    root: Path,
    parts: Path,
) -> list[Job]:
    """Return one job a seed."""
    facts = root / "data" / "panel.json"
    panel_sha256 = str(read_json(facts).get("sha256", ""))
    identity = identify(panel_sha256, settings.execution.threads)
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
        )
        for seed in seeds
    ]
