"""Train one experiment, or whatever is new of all of them."""

from __future__ import annotations

from pathlib import Path

import typer

from panelbench.config import Settings
from panelbench.config.strict import choices
from panelbench.errors import InputError
from panelbench.train.run import train as train_one
from panelbench.train.run import train_all


def train(experiment: str | None, every: bool, settings: Settings, root: Path) -> None:
    """Do what the command line asks for.

    Parameters
    ----------
    experiment
        A declared name; None together with `every`.
    every
        Bring every seed of every experiment into the store instead, and say what that came to.

    Raises
    ------
    InputError
        If neither or both are given.
    """
    if every == (experiment is not None):
        raise InputError(
            "`panelbench train` takes the name of one experiment, or --all for what is new of all of them. "
            f"Declared in params.yaml: {choices(settings.experiments)}."
        )
    if experiment is not None:
        train_one(experiment, settings, root)
        return
    records = [one.record for one in train_all(settings, root)]
    stored = sum(record.from_store for record in records)
    failed = sum(not record.ok for record in records)
    trained = len(records) - stored - failed
    typer.echo(
        f"Seeds trained: {trained}, in the store before: {stored}, failed: {failed}. `dvc repro` collects"
        + (" them and tries the failed again." if failed else " them.")
    )
