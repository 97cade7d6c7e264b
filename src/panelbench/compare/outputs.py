"""The tables that stand beside comparison.json, with the same bytes for the same results."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from panelbench.compare import slices
from panelbench.compare.metrics import DEFINITIONS, Scores
from panelbench.compare.rows import Rows
from panelbench.compare.runs import Outcome
from panelbench.compare.schema import Comparison, Experiment
from panelbench.files import write_csv, write_json

DIGITS = 10
"""Significant digits of every stored figure: far more than any spread supports, few enough that another
order of summation (threads, another BLAS) does not change a file."""

FILES = (
    "metrics.json",
    "leaderboard.csv",
    "comparison.json",
    "scores.csv",
    "by_series.csv",
    "by_period.csv",
    "by_step.csv",
    "timing.json",
    "claims.json",
    "robustness.json",
)
"""Everything that `compare` writes under reports/, apart from the tables of other tasks than the main one."""

OF_A_TASK = ("leaderboard.csv", "scores.csv", "by_series.csv", "by_period.csv")
"""Tables that hold one task: the main task's stand in reports/, the others' in reports/tasks/<id>/."""

TASKS = "tasks"


def rounded(content: Any) -> Any:
    """Return JSON-able content with every float at `DIGITS` significant digits."""
    if isinstance(content, dict):
        return {key: rounded(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [rounded(value) for value in content]
    return float(f"{content:.{DIGITS}g}") if isinstance(content, float) else content


def as_text(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with float columns as text of `DIGITS` significant digits, empty where undefined."""
    result = frame.copy()
    for name in frame.columns[[kind.kind == "f" for kind in frame.dtypes]]:
        values = frame[name].to_numpy(np.float64)
        text = np.char.mod(f"%.{DIGITS}g", values).astype(object)
        result[name] = np.where(np.isfinite(values), text, "")
    return result


def metrics_table(comparison: Comparison) -> dict[str, dict[str, Any]]:
    """Return what `dvc metrics show` and `dvc exp show` read: one flat group an experiment, no timing."""
    return {name: _figures(comparison.experiments[name]) for name in sorted(comparison.experiments)}


def _figures(experiment: Experiment) -> dict[str, Any]:
    error = experiment.metrics["rmse"]
    means = {f"{name}_mean": experiment.metrics[name].mean for name in DEFINITIONS if name != "rmse"}
    return {
        "rmse_mean": error.mean,
        "rmse_sd": error.sd,
        "rmse_min": error.min,
        "rmse_max": error.max,
        **means,
        "horizon": experiment.horizon,
        "n_ok": experiment.n_ok,
        "n_failed": experiment.n_failed,
        "n_parameters": experiment.n_parameters,
    }


def leaderboard(comparison: Comparison) -> pd.DataFrame:
    """Return one row an experiment of the task: lowest mean RMSE first, then failed, last those that leak."""
    rows = []
    for name in (*comparison.order, *comparison.leaky):
        one = comparison.experiments[name]
        figures = _figures(one)
        rows.append(
            {
                "experiment": name,
                "label": one.label,
                "model": one.model,
                "deterministic": one.deterministic,
                "n_ok": one.n_ok,
                "n_failed": one.n_failed,
                **{
                    key: figures[key] if figures[key] is not None else np.nan
                    for key in (
                        "rmse_mean",
                        "rmse_sd",
                        "rmse_min",
                        "rmse_max",
                        "mse_mean",
                        "mae_mean",
                        "wape_mean",
                        "rmsse_mean",
                    )
                },
                "n_parameters": one.n_parameters,
                "group": one.group,
                "horizon": one.horizon,
                "mode": one.mode,
                "leaks": one.leaks,
            }
        )
    frame = pd.DataFrame(rows)
    frame["n_parameters"] = frame["n_parameters"].astype("Int64")
    floats = [name for name in frame.columns if name.endswith(("_mean", "_sd", "_min", "_max"))]
    return frame.astype(dict.fromkeys(floats, "float64"))


def scores_table(comparison: Comparison) -> pd.DataFrame:
    """Return one row a finished seed: experiment, seed, then one column a metric (DVC plots take columns)."""
    parts = [
        pd.DataFrame({"experiment": name, "seed": one.seeds, **one.scores})
        for name in (*comparison.order, *comparison.leaky)
        if (one := comparison.experiments[name]).seeds
    ]
    if not parts:
        return pd.DataFrame(columns=["experiment", "seed", *DEFINITIONS])
    return pd.concat(parts, ignore_index=True).astype(dict.fromkeys(DEFINITIONS, "float64"))


def timing_table(outcomes: Sequence[Outcome]) -> dict[str, dict[str, Any]]:
    """Return seconds and memory of each experiment's finished seeds; apart, since it differs in every run."""
    return {one.name: _timing(one) for one in sorted(outcomes, key=lambda one: one.name)}


def _timing(outcome: Outcome) -> dict[str, Any]:
    def values(key: str) -> list[float]:
        found = [getattr(record, key) for record in outcome.finished]
        return [float(value) for value in found if value is not None]

    fit, predict, memory = values("seconds_fit"), values("seconds_predict"), values("peak_memory_mib")
    return {
        "n": len(outcome.finished),
        "seconds_fit_mean": float(np.mean(fit)) if fit else None,
        "seconds_fit_min": min(fit, default=None),
        "seconds_fit_max": max(fit, default=None),
        "seconds_predict_mean": float(np.mean(predict)) if predict else None,
        "peak_memory_mib_max": max(memory, default=None),
    }


def steps_table(comparison: Comparison) -> pd.DataFrame:
    """Return one row an experiment and step ahead, of every task with more than one step.

    Returns
    -------
    experiment, horizon, mode, leaks, step, n (test rows of a seed), n_seeds, rmse_mean, rmse_sd, mae_mean,
    mae_sd (over seeds, in the target's unit; sd empty for one seed).
    """
    rows = [
        {
            "experiment": name,
            "horizon": entry.horizon,
            "mode": entry.mode,
            "leaks": entry.leaks,
            "step": one.step,
            "n": one.n,
            "n_seeds": one.rmse.n,
            "rmse_mean": one.rmse.mean,
            "rmse_sd": one.rmse.sd,
            "mae_mean": one.mae.mean,
            "mae_sd": one.mae.sd,
        }
        for part in comparison.every
        if part.task.horizon > 1
        for name in (*part.order, *part.leaky)
        for entry in (part.experiments[name],)
        for one in entry.by_step
    ]
    columns = ["experiment", "horizon", "mode", "leaks", "step", "n", "n_seeds"]
    figures = ["rmse_mean", "rmse_sd", "mae_mean", "mae_sd"]
    return pd.DataFrame(rows, columns=[*columns, *figures]).astype(dict.fromkeys(figures, "float64"))


def tasks_table(comparison: Comparison) -> pd.DataFrame:
    """Return one row a task, the main one first: what it asks and the folder its tables are in."""
    rows = [
        {
            "task": part.task.id,
            "title": part.task.title,
            "horizon": part.task.horizon,
            "modes": " ".join(part.task.modes),
            "experiments": len(part.order) + len(part.leaky),
            "tables": "reports" if part is comparison else f"reports/{TASKS}/{part.task.id}",
        }
        for part in comparison.every
    ]
    return pd.DataFrame(rows)


def write_all(
    reports: Path,
    comparison: Comparison,
    outcomes: Sequence[Outcome],
    scores: Sequence[Scores],
    rows: Mapping[int, Rows],
) -> None:
    """Write every file of `FILES` but the last two, which the judges of claims and verdicts write.

    The folder of the other tasks is made anew, so that a task that is gone does not stay.
    """
    write_json(reports / "metrics.json", rounded(metrics_table(comparison)))
    write_json(reports / "comparison.json", rounded(comparison.model_dump(mode="json")))
    write_csv(reports / "by_step.csv", as_text(steps_table(comparison)))
    write_json(reports / "timing.json", rounded(timing_table(outcomes)))
    shutil.rmtree(reports / TASKS, ignore_errors=True)
    write_csv(reports / TASKS / "tasks.csv", tasks_table(comparison))
    for part in comparison.every:
        folder = reports if part is comparison else reports / TASKS / part.task.id
        of_task = [one for one in scores if one.name in {*part.order, *part.leaky}]
        tested = rows.get(part.task.horizon)
        tables = (
            leaderboard(part),
            scores_table(part),
            slices.by_series(of_task, tested) if tested else slices.NO_SERIES,
            slices.by_period(of_task, tested) if tested else slices.NO_PERIODS,
        )
        for name, table in zip(OF_A_TASK, tables, strict=True):
            write_csv(folder / name, as_text(table))
