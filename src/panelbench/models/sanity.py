"""Say in a run's notes when a model learned nothing that could be meant; the run stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from panelbench.models.base import EpochRecord, Note

if TYPE_CHECKING:
    from panelbench.models.batches import Batches  # and torch, which linear models do without

WARNING = "warning"
"""The note that a comparison repeats for its readers."""
BLOWN_UP = 10.0
"""Times the spread of the target from which a training error is no fit any more, however it came about."""


def about_training(history: Sequence[EpochRecord], train: Batches) -> dict[str, Note]:
    """Return a warning if the last training error is far above that of a constant forecast, else nothing.

    A loss that is not finite is a failed run; one that is finite and absurd would pass for a bad model.
    """
    if not history or train.targets is None:
        return {}
    residual = (train.targets - train.targets.mean()) * train.spread
    usual = float(residual.double().square().mean().sqrt())
    last = history[-1].train_rmse
    if last is None or usual == 0 or not last > BLOWN_UP * usual:
        return {}
    return {
        WARNING: f"its training error in the last epoch is {last / usual:.3g} times that of a constant "
        "forecast, so training blew up; a smaller learning_rate or a clip_norm may help"
    }


def about_penalty(alpha: float, grid: Sequence[float], nonzero: int, enough: float) -> dict[str, Note]:
    """Return a warning if a grid of penalties does not reach as far as the target's unit would need.

    The course's grid is fixed, while a LASSO's penalty is in the unit of the target: in another unit every
    penalty may be too weak to matter, or so strong that nothing is left.

    Parameters
    ----------
    alpha, grid
        The penalty chosen and those it was chosen among.
    nonzero
        Coefficients that it left.
    enough
        The smallest penalty that leaves none.
    """
    strongest, weakest = max(grid), min(grid)
    if alpha == strongest and nonzero:
        return {
            WARNING: f"the penalty chosen is the strongest of the grid ({strongest:g}), which is in the "
            "target's unit, so a stronger one may be better; set `alpha`, or give the target in a larger unit"
        }
    if 0 < enough < weakest:
        return {
            WARNING: f"even the weakest penalty of the grid ({weakest:g}), which is in the target's unit, "
            "leaves no coefficient; set `alpha`, or give the target in a smaller unit"
        }
    return {}
