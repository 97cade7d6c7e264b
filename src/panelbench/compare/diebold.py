"""Diebold-Mariano test on one loss a target period.

A panel's errors are not one long independent series: all series of a period share its shocks. The loss is
therefore averaged over series (and seeds and steps) first, and the test sees one value a period.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from panelbench.compare.multiplicity import holm
from panelbench.compare.schema import DieboldMariano

Float = NDArray[np.float64]


def lags_for(n_periods: int, horizon: int) -> int:
    """Return the lags of the Newey-West variance: max(horizon - 1, n^(1/3) rounded up), below n.

    `horizon - 1` alone, the textbook's choice, would take weekly losses as independent for one-step
    forecasts; seasons and promotions make them depend on their neighbours.
    """
    rule: int = math.ceil(float(n_periods) ** (1 / 3) - 1e-9)
    return max(0, min(max(horizon - 1, rule), n_periods - 1))


def diebold_mariano(
    loss_a: Float, loss_b: Float, horizon: int = 1, lags: int | None = None
) -> DieboldMariano:
    """Test equal expected loss; the statistic is negative where `a` has the lower loss.

    Parameters
    ----------
    loss_a, loss_b
        (W,) mean loss of each target period.
    horizon
        Steps ahead, for the small-sample correction.
    lags
        Of the Bartlett kernel; by default `lags_for`.

    Returns
    -------
    Statistic and two-sided p from Student's t with W - 1 degrees of freedom; both None, with a reason, for
    identical losses, a constant difference, or too few periods.

    Notes
    -----
    Diebold and Mariano (1995); correction of Harvey, Leybourne and Newbold (1997); computed by statsmodels.
    With estimated lags and few periods the test rejects too often: at 26 independent periods a true null in
    about 8 % of cases instead of 5 %.
    """
    n = loss_a.size
    used = lags_for(n, horizon) if lags is None else lags
    difference = loss_a - loss_b
    scale = float(np.abs(loss_a).max() + np.abs(loss_b).max()) if n else 0.0
    reason = None
    if n < max(3, 2 * horizon):
        reason = f"{n} target periods are too few"
    elif float(np.abs(difference).max()) <= 1e-12 * scale:
        reason = "the losses are identical"
    elif float(np.ptp(difference)) <= 1e-12 * scale:
        reason = "the difference is the same in every period, so it has no variance to judge by"
    if reason:
        return DieboldMariano(statistic=None, p=None, n=n, lags=used, horizon=horizon, reason=reason)

    from statsmodels.tsa.stattools import diebold_mariano_test

    result = diebold_mariano_test(
        np.zeros(n),
        loss_a,
        loss_b,
        lags=used,
        criterion=lambda _, loss: loss,
        harvey_adj=True,
        horizon=horizon,
    )
    if not (math.isfinite(result.statistic) and math.isfinite(result.pvalue)):
        reason = "the estimated variance is not positive"
        return DieboldMariano(statistic=None, p=None, n=n, lags=used, horizon=horizon, reason=reason)
    return DieboldMariano(
        statistic=float(result.statistic), p=float(result.pvalue), n=n, lags=used, horizon=horizon
    )


def adjust(family: Sequence[DieboldMariano]) -> list[DieboldMariano]:
    """Adjust the p values of one family by Holm; tests that could not be made do not count."""
    adjusted = holm([test.p for test in family])
    return [test.model_copy(update={"p_holm": p}) for test, p in zip(family, adjusted, strict=True)]
