"""Recursive forecasts of any one-step model: each forecast is fed back as if it had been observed.

Behind a forecast stands an excerpt of the panel that ends with the window's own origin: one row a window, cut
out before the first step. What is appended to it is the model's own forecast, so a value after the origin
cannot be read even by a model that tries to, whatever the other windows of the call may know.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from panelbench.data import Known, Windows
from panelbench.data.features import recipe
from panelbench.errors import InputError
from panelbench.models.base import Attends, FitRecord, Forecaster
from panelbench.models.checks import Shape
from panelbench.models.errors import Diverged
from panelbench.models.network_settings import NetworkSettings
from panelbench.models.settings import ExperimentSettings, SeasonalNaiveSettings, TabularSettings, TargetOnly

Float = NDArray[np.float64]
Int = NDArray[np.int64]
CELLS = 4_000_000
"""Numbers held at once in excerpts; more windows are forecast in several parts."""


class RecursiveForecaster:
    """Fits a model one step ahead and forecasts H steps with it.

    It learns from the same windows as a direct model, of each the first target only; losses by epoch are
    those of one step.

    Parameters
    ----------
    settings
        The experiment's, with its whole horizon.
    model
        The unfitted one-step model.
    """

    def __init__(self, settings: ExperimentSettings, model: Forecaster) -> None:
        self.model = model
        self.deterministic = model.deterministic
        self._settings = settings
        self._shape: Shape | None = None

    def fit(self, train: Windows, valid: Windows | None) -> FitRecord:
        """Fit the one-step model.

        Raises
        ------
        InputError
            If the model reads a column whose values are unknown from the second step on.
        """
        self._require_known_ahead(train)
        self._shape = Shape.of(train)
        return self.model.fit(first_step(train), None if valid is None else first_step(valid))

    def predict(self, windows: Windows) -> Float:
        """Return (n, H) forecasts in the panel's unit.

        Raises
        ------
        Diverged
            If a forecast is not finite: fed back, errors can grow without bound.
        """
        if self._shape is not None:
            self._shape.require(windows)
        forecasts = np.empty((len(windows), windows.horizon))
        reach = reach_of(self._settings, windows.known.info.season)
        for rows, width in _parts(windows, reach):
            forecasts[rows] = self._roll(windows.take(rows), width, sliding=reach is not None)
        return forecasts

    def n_parameters(self) -> int | None:
        """Return the one-step model's number of learned coefficients."""
        return self.model.n_parameters()

    @property
    def module(self) -> Any:
        """The one-step model's network, if it has one."""
        return cast("Any", self.model).module

    @property
    def device(self) -> str:
        """Where the one-step model computes."""
        return str(getattr(self.model, "device", "cpu"))

    def _roll(self, windows: Windows, width: int, sliding: bool) -> Float:
        """Return (n, H) forecasts from the last `width` periods of each window's history.

        A sliding excerpt keeps its width and forgets its oldest value at each step, which a model that looks
        no further back does not notice.
        """
        known, horizon = first_step(windows).known, windows.horizon
        first = windows.origin - width + 1
        series, columns = windows.series[:, None], first[:, None] + np.arange(width + horizon)
        y = np.empty(columns.shape)
        y[:, :width] = known.y[series, columns[:, :width]]
        ahead = windows.known.future[series, columns] if known.info.future else np.empty((*columns.shape, 0))
        static = known.static.astype("category").iloc[windows.series].reset_index(drop=True)
        rows = np.arange(len(windows))
        for step in range(horizon):
            start, end = step if sliding else 0, step + width
            excerpt = Known(
                info=known.info,
                y=y[:, start:end],
                past=np.empty((len(rows), end - start, 0)),
                future=ahead[:, start : end + 1],
                dates=windows.known.dates,
                static=static,
                source=windows.panel_series,
                start=windows.panel_period(first + start),
            )
            origin = np.full(len(rows), end - start - 1)
            one = Windows(excerpt, rows, origin, windows.lookback, 1, windows.covariates, None)
            y[:, end] = self.model.predict(one)[:, 0]
            if not np.isfinite(y[:, end]).all():
                bad = int((~np.isfinite(y[:, end])).sum())
                raise Diverged(f"{bad} of {len(rows)} forecasts of step {step + 1} are not finite: fed back, "
                               "the model's errors grow without bound.")  # fmt: skip
        return y[:, width:]

    def _require_known_ahead(self, windows: Windows) -> None:
        info, settings = windows.known.info, self._settings
        unknown = info.past + (info.future if windows.covariates == "past" else ())
        read = [name for name in unknown if settings.reads is None or name in settings.reads]
        if not read:
            return
        remedies = [] if "strategy" in settings.decided else ["`strategy: direct`"]
        remedies += ["`channels: [y, ...]` without them"] if isinstance(settings, NetworkSettings) else []
        if not set(read) & set(info.past):
            remedies.append("`covariates: ahead`")
        raise InputError(
            f"params.yaml: the experiment '{settings.label or settings.model}' forecasts {settings.horizon} "
            f"periods recursively and reads {', '.join(read)}, whose values after the origin are unknown to "
            "it (past covariates, or `covariates: past`), so its second step cannot be made. Use "
            f"{' or '.join(remedies) or 'another model'}, or leave them out of the panel."
        )


class AttendingRecursiveForecaster(RecursiveForecaster):
    """One whose one-step model shows where it looks: at its first step."""

    def attention(self, windows: Windows) -> NDArray[np.float32]:
        """Return (layers, heads, L, L) weights averaged over the windows; rows sum to one."""
        return cast("Attends", self.model).attention(first_step(windows))

    def attention_of_each(self, windows: Windows) -> NDArray[np.float32]:
        """Return (n, layers, heads, L, L) weights of every window."""
        return cast("Attends", self.model).attention_of_each(first_step(windows))

    def attention_entropy(self, windows: Windows) -> tuple[Float, Float]:
        """Return the mean entropy of rows over log(L), (layers, heads): as used, and without the scaling."""
        return cast("Attends", self.model).attention_entropy(first_step(windows))


def roll_out(settings: ExperimentSettings, model: Forecaster) -> RecursiveForecaster:
    """Return a forecaster of `settings.horizon` steps made of an unfitted one-step model."""
    kind = AttendingRecursiveForecaster if isinstance(model, Attends) else RecursiveForecaster
    return kind(settings, model)


def first_step(windows: Windows) -> Windows:
    """Return the same windows with one period to forecast and without what is not known ahead.

    Past covariates are left out, and with `covariates: past` the known-ahead ones, which such a model reads
    as of its origin only. Known-ahead channels at position t are those of t + 1.
    """
    known = windows.known
    end = known.y.shape[1] + 1
    ahead = windows.covariates == "ahead"
    cut = replace(
        known,
        info=known.info.model_copy(update={"past": (), "future": known.info.future if ahead else ()}),
        past=known.past[:, :, :0],
        future=known.future[:, :end] if ahead else known.future[:, :end, :0],
        dates=known.dates[:end],
    )
    return replace(windows, known=cut, horizon=1, y=None if windows.y is None else windows.y[:, :1])


def reach_of(settings: ExperimentSettings, season: int) -> int | None:
    """Return how many of the latest periods a forecast depends on; None where that is not known: all."""
    if isinstance(settings, NetworkSettings):
        return settings.lookback
    if isinstance(settings, TabularSettings):
        if settings.features == "window":
            return settings.lookback
        features = recipe(settings.features, season)
        return max(settings.lookback, *features.lags, *features.rolling)
    if isinstance(settings, TargetOnly):
        own = settings.season if isinstance(settings, SeasonalNaiveSettings) else 1
        return max(settings.lookback, own or season)
    return None


def _parts(windows: Windows, reach: int | None) -> Iterator[tuple[Int, int]]:
    """Yield rows with equally long histories, not too many at once, and how long these are."""
    observed = windows.origin + 1
    widths = observed if reach is None else np.minimum(observed, reach)
    for width in np.unique(widths).tolist():
        rows = np.flatnonzero(widths == width)
        count = max(1, CELLS // ((width + windows.horizon) * (1 + len(windows.known.info.future))))
        for first in range(0, len(rows), count):
            yield rows[first : first + count], width
