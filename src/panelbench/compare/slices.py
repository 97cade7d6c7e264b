"""Where the error is: by series and by target period, and how few series rule the pooled score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from panelbench.compare.metrics import Scores
from panelbench.compare.rows import Rows
from panelbench.compare.runs import period_names
from panelbench.compare.schema import SeriesShare

Float = NDArray[np.float64]
TOP = 3
NO_SERIES = pd.DataFrame(columns=["experiment", "series", "rmse", "rmsse", "share"])
NO_PERIODS = pd.DataFrame(columns=["experiment", "ds", "rmse", "share"])


def by_series(scores: Sequence[Scores], rows: Rows) -> pd.DataFrame:
    """Return one row an experiment and series: its errors over the test block, mean over seeds.

    Returns
    -------
    experiment, series, rmse (mean over seeds of the series' RMSE, in the target's unit), rmsse (the same,
    scaled; empty where undefined), share (of the experiment's pooled squared error, seeds together).
    """
    counts = np.bincount(rows.series, minlength=len(rows.names))
    tested = np.flatnonzero(counts)
    frames = [
        pd.DataFrame(
            {
                "experiment": one.name,
                "series": np.asarray(rows.names, dtype=object)[tested],
                "rmse": np.sqrt(one.squared_by_series[:, tested] / counts[tested]).mean(axis=0),
                "rmsse": one.scaled[:, tested].mean(axis=0),
                "share": error_shares(one)[tested],
            }
        )
        for one in scores
    ]
    return pd.concat(frames, ignore_index=True) if frames else NO_SERIES


def by_period(scores: Sequence[Scores], rows: Rows) -> pd.DataFrame:
    """Return one row an experiment and target period: RMSE over all series, mean over seeds.

    Returns
    -------
    experiment, ds, rmse (in the target's unit), share (of the experiment's pooled squared error).
    """
    names = period_names(rows.dates)

    def one_frame(one: Scores) -> pd.DataFrame:
        total = one.squared.sum(axis=0)
        return pd.DataFrame(
            {
                "experiment": one.name,
                "ds": names,
                "rmse": np.sqrt(one.squared / one.rows_by_period).mean(axis=0),
                "share": total / total.sum() if total.sum() > 0 else np.full(total.size, np.nan),
            }
        )

    frames = [one_frame(one) for one in scores]
    return pd.concat(frames, ignore_index=True) if frames else NO_PERIODS


def error_shares(scores: Scores) -> Float:
    """Return (S,) each series' share of the squared error pooled over seeds; NaN for a perfect forecast."""
    total = scores.squared_by_series.sum(axis=0)
    return np.asarray(total / total.sum()) if total.sum() > 0 else np.full(total.size, np.nan)


def top_series(scores: Scores, names: Sequence[str]) -> tuple[SeriesShare, ...]:
    """Return the three series with the largest share of the pooled squared error, largest first."""
    shares = error_shares(scores)
    if not np.isfinite(shares).all():
        return ()
    largest = np.argsort(-shares, kind="stable")[:TOP]
    return tuple(SeriesShare(series=names[i], share=float(shares[i])) for i in largest)


def scaled_quartiles(scores: Scores) -> tuple[float, ...]:
    """Return minimum, quartiles and maximum over series of the seed-mean RMSSE; empty where undefined."""
    means = scores.scaled.mean(axis=0)
    means = means[np.isfinite(means)]
    return tuple(np.quantile(means, [0, 0.25, 0.5, 0.75, 1]).tolist()) if means.size else ()
