"""The tables that stand beside comparison.json, with the same bytes for the same results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from panelbench.compare.metrics import DEFINITIONS
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
    "timing.json",
    "claims.json",
    "robustness.json",
)
"""Everything that `compare` writes under reports/."""


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
        "n_ok": experiment.n_ok,
        "n_failed": experiment.n_failed,
        "n_parameters": experiment.n_parameters,
    }


def leaderboard(comparison: Comparison) -> pd.DataFrame:
    """Return one row an experiment, lowest mean RMSE first, failed ones at the end."""
    rows = []
    for name in comparison.order:
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
                        "mae_mean",
                        "wape_mean",
                        "rmsse_mean",
                    )
                },
                "n_parameters": one.n_parameters,
                "group": one.group,
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
        for name, one in ((name, comparison.experiments[name]) for name in comparison.order)
        if one.seeds
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


def write_all(
    reports: Path,
    comparison: Comparison,
    outcomes: Sequence[Outcome],
    by_series: pd.DataFrame,
    by_period: pd.DataFrame,
) -> None:
    """Write every file of `FILES` but the last two, which the judges of claims and verdicts write."""
    write_json(reports / "metrics.json", rounded(metrics_table(comparison)))
    write_csv(reports / "leaderboard.csv", as_text(leaderboard(comparison)))
    write_json(reports / "comparison.json", rounded(comparison.model_dump(mode="json")))
    write_csv(reports / "scores.csv", as_text(scores_table(comparison)))
    write_csv(reports / "by_series.csv", as_text(by_series))
    write_csv(reports / "by_period.csv", as_text(by_period))
    write_json(reports / "timing.json", rounded(timing_table(outcomes)))
