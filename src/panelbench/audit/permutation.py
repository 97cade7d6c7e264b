"""The checks of what a Transformer can know about order: permute its window, exactly.

Without positional encoding, attention sees a set. What is left of the order depends on the read-out: at the
last position the forecast may depend on which period is the last and on nothing else about the order; as a
mean over positions it may not depend on the order at all. Both are exact statements about the function, so
they are tested exactly, in evaluation mode, on a briefly trained network. It reads windows of noise: those of
a panel may hardly vary, and then an order that leaks in would not show. The same network with positions is
the control: permuting must move it, or the check could not fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from panelbench.audit.batch_size import TOLERANCE, in_words
from panelbench.audit.brief import quick
from panelbench.audit.result import Check
from panelbench.config.settings import SplitSettings
from panelbench.models.network_settings import TransformerSettings
from panelbench.models.settings import ExperimentSettings
from panelbench.panel import Panel

if TYPE_CHECKING:
    from torch import Tensor

SEED = 20_170_612
ORDERS = 3
"""Random orders tried beside the reversed one."""
ROWS = 200
SHORTEST = 3
"""With fewer periods there is nothing to permute before the last one."""

ARCHITECTURE = (
    "lookback", "horizon", "channels", "width", "heads", "feed_forward", "layers", "norm", "final_norm",
    "activation", "mixing", "revin", "scaled", "implementation",
)  # fmt: skip
"""Settings that, with positions and read-out, make the function that is tested."""

Order = NDArray[np.int64]


def permutations(
    panel: Panel, split: SplitSettings, experiments: Mapping[str, ExperimentSettings]
) -> list[Check]:
    """Check the declared Transformers by read-out: `permutation_last` and `permutation_mean`.

    Transformers of one architecture are trained once without positions and once with each kind that is
    declared (sinusoidal where only `none` is). Left out are those that know an order without positions:
    inside a patch, under a causal mask, in a head that reads all positions, in other designs.
    """
    chosen = [one for one in experiments.values() if isinstance(one, TransformerSettings)]
    chosen = [one for one in chosen if one.model == "transformer" and one.lookback >= SHORTEST]
    chosen = [one for one in chosen if one.patch_length is None and not one.causal]
    found = []
    for pool, make in (("last", _last), ("mean", _mean)):
        asked = _variants([one for one in chosen if one.pool == pool])
        if asked:
            found.append(make(panel, split, asked))
    return found


def _variants(declared: Sequence[TransformerSettings]) -> list[TransformerSettings]:
    """Return each architecture once with every kind of position to be tested, `none` first."""
    kinds: dict[tuple[Any, ...], tuple[TransformerSettings, dict[str, None]]] = {}
    for one in declared:
        key = tuple(getattr(one, name) for name in ARCHITECTURE)
        _, positions = kinds.setdefault(key, (one, {"none": None}))
        positions[one.positions] = None
    variants = []
    for example, positions in kinds.values():
        if len(positions) == 1:
            positions["sinusoidal"] = None
        variants += [example.model_copy(update={"positions": kind}) for kind in positions]
    return variants


def _last(panel: Panel, split: SplitSettings, variants: Sequence[TransformerSettings]) -> Check:
    """Test the read-out at the last position."""
    problems, n = [], 0
    for settings in variants:
        network, windows = _trained(panel, split, settings)
        length = settings.lookback
        kept = [np.append(order, length - 1) for order in _orders(length - 1)]
        moves = [_move(network, windows, order) for order in kept]
        turned = _move(network, windows, np.roll(np.arange(length), 1))
        n += len(windows) * (len(moves) + 1)
        if settings.positions == "none":
            if max(moves) > TOLERANCE:
                problems.append(
                    _problem(settings, "permuting the earlier periods moved the forecast", max(moves))
                )
            if turned <= TOLERANCE:
                problems.append(
                    _problem(settings, "moving the last period did not move the forecast", turned)
                )
        elif min(moves) <= TOLERANCE:
            problems.append(_problem(settings, "permuting did not move the forecast", min(moves)))
    return Check(
        id="permutation_last",
        title="Without positions, a Transformer read at the last period knows no order but which is last",
        disturbed="the order of the periods in windows of noise: all but the last permuted, or the last one "
        "moved",
        must_hold=f"without positions the forecast stays the same (to {in_words(TOLERANCE)}) while the last "
        "period stays, and moves when that moves; with positions it moves in both cases",
        passed=not problems,
        detail=" ".join(problems)
        or f"{n:,} forecasts compared: without positions only moving the last period changed them.",
        n=n,
    )


def _mean(panel: Panel, split: SplitSettings, variants: Sequence[TransformerSettings]) -> Check:
    """Test the read-out as a mean over positions."""
    problems, n = [], 0
    for settings in variants:
        network, windows = _trained(panel, split, settings)
        orders = _orders(settings.lookback)
        if settings.positions == "alibi":  # knows distances, which are the same read backwards
            orders = [order for order in orders if (order != orders[0]).any()]
        moves = [_move(network, windows, order) for order in orders]
        n += len(windows) * len(moves)
        if settings.positions == "none" and max(moves) > TOLERANCE:
            problems.append(_problem(settings, "a permutation moved the forecast", max(moves)))
        if settings.positions != "none" and min(moves) <= TOLERANCE:
            problems.append(_problem(settings, "permuting did not move the forecast", min(moves)))
    return Check(
        id="permutation_mean",
        title="Without positions, a Transformer read out as a mean sees an unordered bag",
        disturbed="the order of the periods in windows of noise: all permuted",
        must_hold=f"without positions the forecast stays the same (to {in_words(TOLERANCE)}); with them it "
        "moves",
        passed=not problems,
        detail=" ".join(problems)
        or f"{n:,} forecasts compared: without positions no permutation changed them.",
        n=n,
    )


def _problem(settings: TransformerSettings, what: str, move: float) -> str:
    kind = f"{settings.positions} positions, {settings.lookback} periods"
    return f"{kind}: {what} (by {move:.2g} of the largest forecast)."


def _orders(length: int) -> list[Order]:
    """Return the reversed order and a few random ones, none of them the identity."""
    rng = np.random.default_rng(SEED)
    found = [np.arange(length)[::-1]]
    while len(found) <= ORDERS:
        order = rng.permutation(length)
        if (order != np.arange(length)).any():
            found.append(order)
    return found


def _trained(panel: Panel, split: SplitSettings, settings: TransformerSettings) -> tuple[Any, Tensor]:
    """Return a briefly trained network, ready to forecast, and windows of noise that it can read."""
    import torch

    module = cast("Any", quick(panel, split, settings)[0]).module
    module.eval()
    shape = (ROWS, settings.lookback, module.channels)
    return module, torch.randn(shape, generator=torch.Generator().manual_seed(SEED))


def _move(network: Any, windows: Tensor, order: Order) -> float:
    """Return the largest move of a forecast, relative to the largest forecast, when windows are reordered."""
    import torch

    with torch.inference_mode():
        before, after = network(windows), network(windows[:, order.tolist()])
    return float((after - before).abs().max() / before.abs().max().clamp(min=1e-12))
