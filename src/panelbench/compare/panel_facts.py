"""Facts about a panel that claims and the report state: variance shares and correlations over time.

All are taken over the whole panel, test block included, as the published ones are: they describe the
data and are never used to choose or train anything.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from panelbench.errors import InputError
from panelbench.panel.panel import Panel

Float = NDArray[np.float64]


def between_series_share(panel: Panel) -> float:
    """Return the share of the target's variance that lies between series.

    Variance of the series' means over the variance of all values, both with n as the denominator; the
    rest is variance within series. NaN where nothing varies.
    """
    total = float(panel.y.var())
    return float(panel.y.mean(axis=1).var() / total) if total > 0 else float("nan")


def mean_autocorrelation(panel: Panel, lag: int) -> float:
    """Return the mean over series of each series' autocorrelation at a lag.

    A series' autocorrelation is the correlation of its values with those `lag` periods earlier, each side
    with its own mean and sd (as `pandas.Series.autocorr` has it). The textbook estimator, with one mean
    and denominator n, shrinks towards zero at long lags: 0.22 instead of 0.43 at lag 52 on the lecture's
    panel, whose published figures are of the kind used here. Series without a correlation are left out.

    Raises
    ------
    InputError
        If fewer than two pairs are left at this lag.
    """
    _require_steps(panel, lag, "lag")
    return _mean_correlation(panel.y, panel.y, lag)


def lead_correlation(panel: Panel, covariate: str, lead: int) -> float:
    """Return the mean over series of the correlation of a covariate with the target `lead` periods later.

    Raises
    ------
    InputError
        If the panel has no such covariate, or fewer than two pairs are left.
    """
    _require_steps(panel, lead, "lead")
    return _mean_correlation(_covariate(panel, covariate), panel.y, lead)


def largest_lead_correlation(panel: Panel, covariate: str, leads: tuple[int, ...]) -> float:
    """Return the size of the lead correlation that is farthest from zero."""
    return max(abs(lead_correlation(panel, covariate, lead)) for lead in leads)


def _mean_correlation(early: Float, late: Float, steps: int) -> float:
    """Return the mean over series of the correlation of early[t] with late[t + steps]; (S, T) each."""
    x, y = early[:, : early.shape[1] - steps], late[:, steps:]
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
    size = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    defined = size > 0
    return float(np.mean((x * y).sum(axis=1)[defined] / size[defined])) if defined.any() else float("nan")


def _covariate(panel: Panel, name: str) -> Float:
    info = panel.info
    for names, values in ((info.future, panel.future), (info.past, panel.past)):
        if name in names:
            return np.asarray(values[:, :, names.index(name)])
    known = ", ".join((*info.future, *info.past)) or "none"
    raise InputError(f"The panel has no covariate '{name}'. It has: {known}.")


def _require_steps(panel: Panel, steps: int, what: str) -> None:
    if not 0 <= steps < panel.n_steps - 1:
        raise InputError(f"A {what} of {steps} periods does not fit a panel of {panel.n_steps} periods.")
