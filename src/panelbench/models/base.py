"""What a forecaster is, and what it says about its training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from panelbench.data import Windows

Note = float | int | str | bool
Observer = Callable[[int, int], None]
"""Told (epochs done, epochs in all) after each epoch, for a progress bar."""


@dataclass(frozen=True)
class EpochRecord:
    """One epoch of training.

    Attributes
    ----------
    epoch, updates
        Counted from 1; updates since the start of training.
    train_loss, valid_loss
        Mean over the windows, on the scaled target. The training loss is taken while the weights
        move and with dropout on, as is usual; validation after the epoch with dropout off.
    train_rmse, valid_rmse
        The same forecasts' root mean squared error in the panel's unit.
    """

    epoch: int
    updates: int
    train_loss: float
    valid_loss: float | None
    train_rmse: float | None
    valid_rmse: float | None


@dataclass(frozen=True)
class FitRecord:
    """What a forecaster reports after `fit`: its epochs, if it has any, and what it chose or found."""

    history: tuple[EpochRecord, ...] = ()
    notes: Mapping[str, Note] = field(default_factory=dict)


class Forecaster(Protocol):
    """Learns from training windows, forecasts other windows; never sees a test target.

    `fit` is called once. `predict` gives the same answer for a window whatever else is in the call.
    """

    @property
    def deterministic(self) -> bool:
        """Whether every seed gives the same forecasts."""

    def fit(self, train: Windows, valid: Windows | None) -> FitRecord:
        """Learn from `train`; `valid` is watched, never learned from.

        Raises
        ------
        InputError
            If a value is not finite, or the panel is too short for the model.
        Diverged
            If the loss stops being finite.
        """

    def predict(self, windows: Windows) -> NDArray[np.float64]:
        """Return (n, H) forecasts in the panel's unit."""

    def n_parameters(self) -> int | None:
        """Return the number of learned coefficients, None where there is no meaningful count."""


@runtime_checkable
class Attends(Protocol):
    """A forecaster whose attention weights can be looked at."""

    def attention(self, windows: Windows) -> NDArray[np.float32]:
        """Return (layers, heads, L, L) weights averaged over the windows; rows (queries) sum to one."""

    def attention_of_each(self, windows: Windows) -> NDArray[np.float32]:
        """Return (n, layers, heads, L, L) weights of every window."""

    def attention_entropy(self, windows: Windows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the mean entropy of rows over log(L), (layers, heads): as used, and without the scaling."""
