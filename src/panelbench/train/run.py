"""Train experiments: all seeds that the store does not have, one folder of results an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from panelbench.config import Settings
from panelbench.config.strict import choices, nearest
from panelbench.errors import InputError
from panelbench.models import registry
from panelbench.models.settings import own_seeds
from panelbench.train.backend import choose_backend
from panelbench.train.job import Job
from panelbench.train.merge import merge_parts
from panelbench.train.obtain import obtain
from panelbench.train.plan import make_jobs
from panelbench.train.progress import SeedProgress
from panelbench.train.record import ExperimentRuns
from panelbench.train.request import key_of
from panelbench.train.signals import termination_raises
from panelbench.train.store import STORE, Finished, Store
from panelbench.train.workspace import filling, working

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

    A seed that the store has is taken from there. One that fails is recorded and does not stop the others;
    no seed's result depends on another's or on the number of workers.

    Parameters
    ----------
    root
        The project's folder: `data/panel.parquet` and `data/panel.json` are read in it.

    Raises
    ------
    InputError
        If the experiment is not declared, or its settings do not fit the panel or the machine.
    RunFailure
        If the folder cannot be written, or a cluster does not answer.
    """
    if name not in settings.experiments:
        raise InputError(
            f"params.yaml: experiments has no '{name}'.{nearest(name, settings.experiments)} "
            f"Declared: {choices(settings.experiments)}."
        )
    experiment = registry.resolve(settings)[name]
    seeds = own_seeds(experiment, settings.seeds)
    target = root / "data" / "runs" / name
    with termination_raises(), filling(target, root / UNFINISHED) as folder, working(PARTS, folder) as parts:
        jobs = make_jobs(name, experiment, seeds, settings, root, parts)
        finished = _obtain(jobs, settings, root, name, console or Console())
        runs = ExperimentRuns(
            experiment=name,
            label=experiment.label or name,
            model=experiment.model,
            settings=jobs[0].settings,
            runs=tuple(one.record for one in finished),
        )
        kept = [one for one in finished if one.record.ok]
        merge_parts([one.folder for one in kept], [one.record.seed for one in kept], folder)
        runs.save(folder / RUNS)
    return Outcome(runs, target)


def train_all(settings: Settings, root: Path = Path(), console: Console | None = None) -> list[Finished]:
    """Bring every seed of every experiment into the store, all of them side by side.

    `data/runs/` stays as it is: the stage of each experiment, which DVC records, then only collects.

    Returns
    -------
    list[Finished]
        By experiment and seed. A failed seed is among them, and is not stored.

    Raises
    ------
    InputError, RunFailure
        As `train`; what had finished before is stored.
    """
    with termination_raises(), working("all", root / UNFINISHED) as folder:
        jobs = every_job(settings, root, folder)
        return _obtain(jobs, settings, root, "all experiments", console or Console())


def every_job(settings: Settings, root: Path, folder: Path) -> list[Job]:
    """Return the jobs of all experiments, those of one experiment together."""
    jobs: list[Job] = []
    for name, experiment in registry.resolve(settings).items():
        seeds = own_seeds(experiment, settings.seeds)
        identity = jobs[0].identity if jobs else None
        jobs += make_jobs(name, experiment, seeds, settings, root, folder / name, identity)
    return jobs


def used_keys(settings: Settings, root: Path) -> set[str]:
    """Return the keys that the present settings, panel and code would look for in the store."""
    return {key_of(job.request) for job in every_job(settings, root, root / UNFINISHED)}


def open_store(settings: Settings, root: Path, console: Console) -> Store:
    """Return the project's store; on a cluster, results of any machine in it will do."""
    return Store(root / STORE, settings.execution.backend == "dask", lambda text: _say(console, text))


def _obtain(
    jobs: list[Job], settings: Settings, root: Path, title: str, console: Console
) -> list[Finished]:
    backend = choose_backend(settings, lambda text: _say(console, text))
    store = open_store(settings, root, console)
    with SeedProgress(title, len(jobs), console) as progress:
        return obtain(jobs, store, backend, progress)


def _say(console: Console, text: str) -> None:
    console.print(escape(text), highlight=False, soft_wrap=True)
