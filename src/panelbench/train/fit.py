"""Carry out one job: load, cut, fit, predict, check, write the parts."""

from __future__ import annotations

import importlib
import random
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from panelbench.config.strict import tuples
from panelbench.data.seal import sealed
from panelbench.data.task import Task, build_task
from panelbench.errors import PanelbenchError
from panelbench.files import write_json
from panelbench.models import registry
from panelbench.models.accounting import parameters_by_part
from panelbench.models.base import Observer
from panelbench.models.settings import ExperimentSettings
from panelbench.panel import load_panel
from panelbench.train import parts
from panelbench.train.job import ATTENTION, HISTORY, PREDICTIONS, Job
from panelbench.train.memory import peak_memory_mib
from panelbench.train.record import Note, RunRecord


class UnusablePredictions(RuntimeError):
    """A model's predictions are not one finite number a test row and step."""


def carry_out(job: Job, observe: Observer) -> RunRecord:
    """Run a job in this process and write its parts, the record last.

    Whatever goes wrong in the run becomes a failed record; it is never filled in.

    Parameters
    ----------
    observe
        Called with (epochs done, epochs in all).

    Raises
    ------
    InputError
        If the settings do not fit the panel or the machine: the user must change something, and every
        seed would meet the same, so it is no property of this run.
    RunFailure
        If nothing can be written: no property of this run either.
    """
    try:
        record = _run(job, observe)
    except PanelbenchError:
        raise
    except Exception as error:  # noqa: BLE001 - any failure of a model is a result to be recorded
        record = job.failed(one_line(error), traceback.format_exc())
    write_json(job.record_path, record.model_dump(mode="json"))
    return record


def one_line(error: BaseException) -> str:
    """Return an error as one line: its kind and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _run(job: Job, observe: Observer) -> RunRecord:
    """Fit and predict once; write predictions, history and attention."""
    settings = restore_settings(job)
    seed_everything(job.seed, settings.model)
    panel = load_panel(Path(job.panel), Path(job.facts))
    task = build_task(panel, job.split, settings)
    folder = Path(job.folder)
    warm_up()

    # What a model may know is in its windows: a file beside the panel is not to be opened meanwhile.
    with sealed(Path(job.panel).parent, refuse=True, allowed=[folder]):
        model = registry.build(settings, job.seed, job.identity.threads, observe)
        started = time.perf_counter()
        fitted = model.fit(task.train, task.valid)
        seconds_fit = time.perf_counter() - started
        started = time.perf_counter()
        predicted = model.predict(task.test)
        seconds_predict = time.perf_counter() - started
    check_predictions(predicted, task)

    parts.write_predictions(folder / PREDICTIONS, panel, task, predicted, job.seed)
    parts.write_history(folder / HISTORY, fitted.history, job.seed)
    parts.write_attention(folder / ATTENTION, model, panel, task)
    return RunRecord(
        **job.identity.model_dump(),
        seed=job.seed,
        status="ok",
        seconds_fit=round(seconds_fit, 4),
        seconds_predict=round(seconds_predict, 4),
        peak_memory_mib=peak_memory_mib(),
        n_parameters=model.n_parameters(),
        parameters_by_part=parameters_by_part(model),
        deterministic=job.deterministic,
        n_train=len(task.train),
        n_valid=len(task.valid) if task.valid else 0,
        n_test=len(task.test),
        device=str(getattr(model, "device", "cpu")),
        notes={name: plain(value) for name, value in sorted(fitted.notes.items())},
    )


def restore_settings(job: Job) -> ExperimentSettings:
    """Return the typed settings that a job carries as text."""
    kind = registry.MODELS[str(job.settings["model"])].settings
    return kind.model_validate(tuples(job.settings))


def seed_everything(seed: int, model: str) -> None:
    """Seed every global generator a model could reach; torch only where the model needs it.

    The model's module is imported first: a model without torch is not made to pay for it.
    """
    module, _, _ = registry.MODELS[model].factory.partition(":")
    importlib.import_module(f"panelbench.models.{module}")
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - libraries that draw from the global state are seeded too
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


def warm_up() -> None:
    """Make torch's first optimiser, if torch is there: it imports a second's worth of modules.

    The seconds of a fit are then those of the fit.
    """
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))])


def check_predictions(predicted: NDArray[np.floating], task: Task) -> None:
    """Refuse predictions that are not one finite number for each test row and step.

    Raises
    ------
    UnusablePredictions
        With the shapes, or the count and the first place that is not finite.
    """
    if predicted.shape != task.truth.shape:
        raise UnusablePredictions(
            f"the predictions have shape {predicted.shape}; the test block needs {task.truth.shape}"
        )
    bad = ~np.isfinite(predicted)
    if bad.any():
        row, step = np.argwhere(bad)[0]
        date = np.datetime_as_string(task.test.target_dates()[row, step], unit="m").removesuffix("T00:00")
        raise UnusablePredictions(
            f"{int(bad.sum())} of {bad.size} predictions are not finite, first {predicted[row, step]} for "
            f"series index {task.test.series[row]}, {date}"
        )


def plain(value: Any) -> Note:
    """Return a note as JSON can hold it; what is not finite becomes text."""
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value
