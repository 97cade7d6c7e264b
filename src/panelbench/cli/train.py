"""Train one experiment, or whatever is new of all of them."""

from __future__ import annotations

from pathlib import Path

import typer

from panelbench.cli.declared import DECLARED, require_declared
from panelbench.config import Settings
from panelbench.config.strict import choices
from panelbench.errors import InputError, RunFailure
from panelbench.files import read_json
from panelbench.models import registry
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
        If neither or both are given, or params.yaml was edited since it was validated.
    RunFailure
        If all are asked for and the leak audit's last outcome is that it failed.
    """
    if every == (experiment is not None):
        raise InputError(
            "`panelbench train` takes the name of one experiment, or --all for what is new of all of them. "
            f"Declared in params.yaml: {choices(settings.experiments)}."
        )
    if experiment is not None:
        _train_one(experiment, settings, root)
        return
    _require_no_known_leak(root)
    records = [one.record for one in train_all(settings, root)]
    stored = sum(record.from_store for record in records)
    failed = sum(not record.ok for record in records)
    trained = len(records) - stored - failed
    typer.echo(
        f"Seeds trained: {trained}, in the store before: {stored}, failed: {failed}. `dvc repro` collects"
        + (" them and tries the failed again." if failed else " them.")
    )


def _train_one(name: str, settings: Settings, root: Path) -> None:
    """Train with the settings that DVC takes the result for: it reads their file when this has ended."""
    experiment = registry.resolve(settings).get(name)
    if experiment is not None:
        require_declared(settings, name, experiment, root / DECLARED)
    train_one(name, settings, root)
    if experiment is not None:
        require_declared(settings, name, experiment, root / DECLARED)


def _require_no_known_leak(root: Path) -> None:
    """Train nothing that `dvc repro`, whose stages wait for the audit, would not collect."""
    path = root / "reports" / "audit.json"
    outcome = read_json(path) if path.is_file() else {}
    if isinstance(outcome, dict) and outcome.get("passed") is False:
        raise RunFailure(
            f"The leak audit failed when it last ran ({path}), so nothing is trained. Remove the cause and "
            "run `dvc repro audit` first."
        )
