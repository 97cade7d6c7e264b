"""The section on depth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator, NullLocator
from scipy import stats

from panelbench.probes.copying import IGNORANT
from panelbench.probes.page.summary import FIGURES, ratio, said
from panelbench.probes.results import DepthRow, Result
from panelbench.probes.settings import DepthSettings
from panelbench.report import theme, words
from panelbench.report.section import Section, table
from panelbench.report.theme import Layout

COLOURS = {"post": "#ea4410", "pre": "#0072b2"}


def build(result: Result[DepthRow], settings: DepthSettings) -> Section:
    """Make the section."""
    rows = result.rows
    sentence = _sentence(rows, settings)
    caption = (
        "Norm of the loss's gradient in the weights of each encoder layer before the first update (log "
        "scale), by number of layers. Lines: geometric mean over seeds; shade: lowest to highest seed (n = "
        f"{len(settings.seeds)} seeds)."
    )
    figure = theme.draw("depth", sentence, caption, lambda layout: _paint(rows, settings, layout), FIGURES)
    body = "\n\n".join(
        (
            said(
                "Post-norm, the original, has large gradients in its last layers at the start and needs a "
                "warm-up of the learning rate in deep stacks; pre-norm leaves the residual stream alone, "
                "has even gradients, and trains deep stacks without."
            ),
            _table(rows, settings),
        )
    )
    return Section("depth", "Which deep stacks train", sentence, body, (figure,))


def trained(
    rows: Sequence[DepthRow], norm: str, layers: int, warmup: int, threshold: float
) -> tuple[int, int]:
    """Return how many seeds of one stack trained, and how many there are; one that diverged did not."""
    own = [row for row in rows if (row.norm, row.layers, row.warmup_steps) == (norm, layers, warmup)]
    return sum(row.error is not None and row.error < threshold * IGNORANT for row in own), len(own)


def _stacks(settings: DepthSettings) -> list[tuple[str, int, int]]:
    return [
        (norm, layers, warmup)
        for norm in settings.norms
        for layers in sorted(settings.layers)
        for warmup in settings.warmup_steps
    ]


def _sentence(rows: Sequence[DepthRow], settings: DepthSettings) -> str:
    counts = {stack: trained(rows, *stack, settings.threshold) for stack in _stacks(settings)}
    failing = [f"{_stack(*stack)} ({some} of {n})" for stack, (some, n) in counts.items() if some < n]
    updates = words.number(settings.training.updates, 0)
    if not failing:
        first = f"Every seed of every stack trains within {updates} updates"
    elif len(failing) == len(counts):
        first = f"Within {updates} updates no stack trains with every seed: {words.listing(failing, 4)}"
    else:
        first = f"Within {updates} updates every seed trains but for {words.listing(failing, 4)}"
    deepest = max(settings.layers)
    if deepest < 2:
        return f"{first}."
    tilts = words.listing(
        f"{ratio(_tilt(rows, norm, deepest))} times with {norm}-norm" for norm in settings.norms
    )
    return (
        f"{first}. Before training the gradient of the last of {deepest} layers is, against the first "
        f"one's, {tilts}."
    )


def _stack(norm: str, layers: int, warmup: int) -> str:
    when = f"with a warm-up of {words.number(warmup, 0)}" if warmup else "without warm-up"
    return f"{norm}-norm at {words.plural(layers, 'layer')} {when}"


def _gradients(rows: Sequence[DepthRow], norm: str, layers: int) -> np.ndarray:
    """Return (seeds, layers) norms; the same weights begin with and without a warm-up."""
    found = {row.seed: row.gradients for row in rows if (row.norm, row.layers) == (norm, layers)}
    return np.array([found[seed] for seed in sorted(found)])


def _tilt(rows: Sequence[DepthRow], norm: str, layers: int) -> float:
    logs = np.log(np.maximum(_gradients(rows, norm, layers), 1e-300))
    return math.exp(float((logs[:, -1] - logs[:, 0]).mean()))


def _table(rows: Sequence[DepthRow], settings: DepthSettings) -> str:
    lines = []
    for norm, layers, warmup in _stacks(settings):
        some, n = trained(rows, norm, layers, warmup, settings.threshold)
        interval = stats.binomtest(some, n).proportion_ci(settings.confidence, "exact")
        errors = sorted(
            math.inf if row.error is None else row.error
            for row in rows
            if (row.norm, row.layers, row.warmup_steps) == (norm, layers, warmup)
        )
        lines.append(
            [
                f"{norm}-norm",
                str(layers),
                words.number(warmup, 0) if warmup else "none",
                f"{some} of {n}",
                f"{words.percent(interval.low)} to {words.percent(interval.high)}",
                f"{words.number(float(np.median(errors)), 3)} ({words.number(errors[0], 3)} to "
                f"{words.number(errors[-1], 3)})",
            ]
        )
    header = [
        "Norm",
        "Layers",
        "Warm-up",
        "Seeds that train",
        "Interval of the share",
        "Median error (range)",
    ]
    return table(header, lines, "lrrrrr") + (
        f"\nA seed has trained when its mean squared error on {words.number(settings.test_windows, 0)} "
        f"fresh windows is below {words.number(settings.threshold * IGNORANT, 2)}; a forecaster that has "
        f"learned nothing has 1. Task: copy the value {words.plural(settings.steps_back, 'step')} back. "
        f"Interval: {words.percent(settings.confidence)}, exact (Clopper and Pearson); with "
        f"{words.plural(len(settings.seeds), 'seed')} it is wide."
    )


def _paint(rows: Sequence[DepthRow], settings: DepthSettings, layout: Layout) -> Canvas:
    depths = sorted(settings.layers)
    columns = layout.columns(len(depths), 3)
    lines = -(-len(depths) // columns)
    figure, grid = theme.canvas(
        layout, (190 if layout.narrow else 280) * lines + 50, lines, columns, sharey=True
    )
    for place, axes in enumerate(grid.flat):
        if place >= len(depths):
            axes.set_visible(False)
            continue
        for norm in settings.norms:
            gradients = np.maximum(_gradients(rows, norm, depths[place]), 1e-12)
            x = np.arange(1, gradients.shape[1] + 1)
            colour = COLOURS[norm]
            axes.fill_between(x, gradients.min(axis=0), gradients.max(axis=0), color=colour, alpha=0.2, lw=0)
            axes.plot(
                x, np.exp(np.log(gradients).mean(axis=0)), "-o", ms=3.5, color=colour,
                label=f"{norm}-norm" if place == 0 else None,
            )  # fmt: skip
        axes.set_yscale("log")
        axes.yaxis.set_minor_locator(NullLocator())
        theme.thousands(axes.yaxis)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.set_title(words.plural(depths[place], "layer"))
        axes.set_xlabel("Layer (1: next to the input)")
    for axes in grid[:, 0]:
        axes.set_ylabel("Gradient norm")
    figure.legend(loc="outside lower center", ncols=2)
    return figure
