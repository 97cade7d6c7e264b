"""The check of causal networks: what stands at a position does not move when later positions are disturbed.

A window lies before its origin, so a network that looks both ways inside it leaks nothing. One that learns
at every position at once does, unless its mask holds: the decoder-only design learns each next value of the
window, the encoder-decoder reads the true values of earlier steps while it learns (teacher forcing). A
forecast, made at the last position, does not show whether the mask held; this looks at every position.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from panelbench.audit.batch_size import TOLERANCE, in_words
from panelbench.audit.brief import kinds, quick
from panelbench.audit.result import Check
from panelbench.config.settings import SplitSettings
from panelbench.models.settings import ExperimentSettings
from panelbench.panel import Panel

if TYPE_CHECKING:
    from torch import Tensor

ROWS = 32
"""Test windows that are looked at."""
FAR = 3.0
"""Spread of the noise added to everything later, beside the largest value there, which unscaled may be large.
One number for all would not do: LayerNorm takes it out."""


def causal_networks(
    panel: Panel, split: SplitSettings, experiments: Mapping[str, ExperimentSettings]
) -> list[Check]:
    """Fit each kind of causal network briefly and disturb the later half of what it reads.

    Positions from there on must move, or the check would prove nothing.
    """
    compared = 0
    problems, looked = [], []
    for name, settings in kinds(experiments).items():
        learns_at_all = settings.generates or hasattr(settings, "supervise")
        if not (learns_at_all or getattr(settings, "causal", False)):
            continue
        found, n = _look(panel, split, settings)
        if n:
            looked.append(name)
        compared += n
        problems += [f"{name}: {problem}" for problem in found]
    if not looked:
        return []
    return [
        Check(
            id="causal_networks",
            title="A causal network's position sees nothing later",
            disturbed="the later half of a window's positions, and of the true values fed back in training",
            must_hold=f"all earlier positions stay the same (to {in_words(TOLERANCE)}), and later ones move",
            passed=not problems,
            detail=" ".join(problems)
            or f"{', '.join(looked)} (fitted briefly): {compared:,} numbers compared, none moved.",
            n=compared,
        )
    ]


def _look(panel: Panel, split: SplitSettings, settings: ExperimentSettings) -> tuple[list[str], int]:
    """Return what is wrong with one network, and how many numbers were compared."""
    forecaster, task = quick(panel, split, settings)
    rows = np.unique(np.linspace(0, len(task.test) - 1, ROWS).astype(int))
    module = cast("Any", forecaster).module
    read: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {}
    stack = None if settings.generates else getattr(module, "decoder", None) or module.encoder

    def note(name: str) -> Any:
        return lambda _, given, named: read.setdefault(name, (given, named)) and None

    handles = [module.register_forward_pre_hook(note("module"), with_kwargs=True)]
    if stack is not None:
        handles.append(stack.register_forward_pre_hook(note("stack"), with_kwargs=True))
    try:
        forecaster.predict(task.test.take(rows))
    finally:
        for handle in handles:
            handle.remove()
    problems, n = [], 0
    if stack is not None:
        found, n = _compare(*_at_all_positions(stack, *read["stack"]))
        problems += found
    if hasattr(module, "supervised"):
        found, more = _compare(*_while_learning(module, read["module"][0][0], settings))
        problems, n = problems + found, n + more
    return problems, n


def _at_all_positions(
    stack: Any, given: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Tensor, Tensor, int]:
    """Return a stack's output at every position, the same with later tokens disturbed, and from where on."""
    import torch

    tokens, *rest = given
    rest[1:] = [0] * len(rest[1:])  # from the first position on, also where only the last is needed
    start = max(1, tokens.shape[1] // 2)
    with torch.inference_mode():
        return stack(tokens, *rest, **named), stack(_later(tokens, start), *rest, **named), start


def _while_learning(
    module: Any, windows: Tensor, settings: ExperimentSettings
) -> tuple[Tensor, Tensor, int]:
    """Return what a network forecasts in training, the same with later values disturbed, from where on."""
    import torch

    steps = settings.horizon if settings.generates else 1
    targets = torch.randn(len(windows), steps, generator=torch.Generator().manual_seed(0)).to(windows)
    with torch.inference_mode():
        before = module.supervised(windows, targets)[0]
        if settings.generates:  # step s is made from the true values before it
            start = max(1, steps // 2)
            return before, module.supervised(windows, _later(targets, start - 1))[0], start
        start = max(1, windows.shape[1] // 2)
        return before, module.supervised(_later(windows, start), targets)[0], start


def _later(values: Tensor, start: int) -> Tensor:
    """Return a copy of (b, n, ...) with noise from position `start` on."""
    import torch

    noise = torch.randn(values.shape, generator=torch.Generator().manual_seed(1)).to(values)
    noise[:, :start] = 0.0
    return values + FAR * max(1.0, float(values.abs().max())) * noise


def _compare(before: Tensor, after: Tensor, start: int) -> tuple[list[str], int]:
    """Return what is wrong with outputs (b, n, ...) whose first `start` positions must not have moved."""
    if before.shape[1] <= start:  # a single position, which may see everything
        return [], 0
    size = float(before.abs().max()) or 1.0
    moved = (after - before).abs() / size
    problems = []
    most = float(moved[:, :start].max())
    if most > TOLERANCE:
        problems.append(f"an earlier position moved with later ones (by {most:.2g} of the largest output).")
    if float(moved[:, start:].max()) <= TOLERANCE:
        problems.append("no later position moved, so this proves nothing.")
    return problems, moved[:, :start].numel()
