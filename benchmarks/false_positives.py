"""How often models that are equally good are told apart, and how often better ones are found.

    python benchmarks/false_positives.py [test blocks, 1000 by default]

draws test blocks in which all models are equally accurate, compares them as `panelbench compare` does, and
prints the share of blocks with a false difference: among all pairs, and against the most accurate model, as
`compare.reference: auto` shows it. The nominal share is 5 %. Beside it stands the method in use before: a t
quantile with matched degrees of freedom, adjusted over the k - 1 comparisons with the best alone. The last
lines have one model with a smaller error, and the share of its pairs that are told apart.

A world has `MODELS` models and 30 series, one of which holds half of the squared error; a part of each week's
error is common to all models. Models have no seeds here, so target weeks alone decide: with seeds, both
conditions of `compare.groups` must hold, and false differences are rarer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from panelbench.compare.blocks import Draws, block_for, difference_intervals, draw_rmse
from panelbench.compare.critical import moving_sum
from panelbench.compare.metrics import Scores

Float = NDArray[np.float64]
MODELS, SERIES, BLOCK, RESAMPLES, CONFIDENCE = 5, 30, 4, 1000, 0.95
PAIRS = list(combinations(range(MODELS), 2))


@dataclass(frozen=True)
class World:
    """How errors come about: dependence between weeks, tails, steps, how much better the first model is."""

    name: str
    dependence: float = 0.0
    """Lag-one autocorrelation of the errors; that of the squared errors is its square."""
    degrees: float | None = None
    """Degrees of freedom of Student's t; None for normal errors."""
    rough: float = 0.0
    """Sd of the log of each week's scale: weeks that are hard for every model."""
    steps: int = 1
    """Steps ahead: the error of step s is the sum of the s weeks' errors since the origin."""
    better: float = 1.0
    """The first model's error over that of the others."""


WORLDS = (
    World("normal errors"),
    World("heavy tails (t with 4 degrees)", degrees=4),
    World("hard and easy weeks", rough=0.7),
    World("dependent weeks (0.5, squared 0.25)", dependence=0.5),
    World("4 steps ahead, errors adding up", steps=4),
    World("12 steps ahead, errors adding up", steps=12),
    World("one model 20 % better", better=0.8),
    World("one model 40 % better", better=0.6),
)


def draw(world: World, n_weeks: int, rng: np.random.Generator) -> list[Scores]:
    """Draw one test block and score its models."""
    scale = np.ones(SERIES)
    scale[0] = np.sqrt(SERIES - 1)
    drawn = n_weeks + world.steps - 1
    common = _errors(world, (1, SERIES, drawn), rng)
    own = _errors(world, (MODELS, SERIES, drawn), rng)
    errors = scale[:, None] * (np.sqrt(0.7) * common + np.sqrt(0.3) * own)
    errors *= np.exp(world.rough * rng.standard_normal(drawn))
    errors[0] *= world.better
    squared = sum((moving_sum(errors, step)[..., -n_weeks:] ** 2).sum(axis=1) for step in steps(world))
    return [_scores(str(place), one, world.steps) for place, one in enumerate(np.asarray(squared))]


def steps(world: World) -> range:
    """Return the numbers of steps ahead."""
    return range(1, world.steps + 1)


def _errors(world: World, shape: tuple[int, ...], rng: np.random.Generator) -> Float:
    fresh = rng.standard_normal(shape) if world.degrees is None else rng.standard_t(world.degrees, shape)
    if not world.dependence:
        return fresh
    errors = np.empty(shape)
    errors[..., 0] = fresh[..., 0]
    for week in range(1, shape[-1]):
        kept = world.dependence * errors[..., week - 1]
        errors[..., week] = kept + np.sqrt(1 - world.dependence**2) * fresh[..., week]
    return errors


def _scores(name: str, squared: Float, horizon: int) -> Scores:
    rows = float(SERIES * horizon)
    error = np.sqrt(squared.sum(keepdims=True) / (rows * squared.size))
    return Scores(
        name=name,
        seeds=(0,),
        deterministic=True,
        values={"rmse": error, "mse": error**2},
        squared=squared[None],
        rows_by_period=np.full(squared.size, rows),
        squared_by_series=np.empty((1, SERIES)),
        scaled=np.empty((1, SERIES)),
        rmse_by_step=np.repeat(error[:, None], horizon, axis=1),
        mae_by_step=np.repeat(error[:, None], horizon, axis=1),
        rows_by_step=np.full(horizon, float(squared.size * SERIES)),
    )


def now(draws: Draws, pairs: list[tuple[int, int]]) -> NDArray[np.bool_]:
    """Return which of the pairs are told apart by `panelbench compare`."""
    found = difference_intervals(draws, pairs, CONFIDENCE)
    return np.array([(one.family_low or 0.0) > 0 or (one.family_high or 0.0) < 0 for one in found])


def before(draws: Draws, pairs: list[tuple[int, int]]) -> NDArray[np.bool_]:
    """Return which were told apart by the quantile of the resampled maximum, taken over into Student's t."""
    one, other = np.array(pairs).T
    values = draws.values[:, one] - draws.values[:, other]
    error = values.std(axis=0, ddof=1)
    largest = (np.abs(values - values.mean(axis=0)) / error).max(axis=1)
    share = draws.block_length / draws.n_periods
    tail = max(float(stats.norm.sf(np.quantile(largest, CONFIDENCE))), 1e-12)
    critical = float(stats.t.isf(tail, 1.5 / share)) / np.sqrt(1 - share)
    estimate = draws.estimates[one] - draws.estimates[other]
    return np.asarray(np.abs(estimate) > critical * error)


METHODS: dict[str, Callable[[Draws, list[tuple[int, int]]], NDArray[np.bool_]]] = {
    "before": before,
    "now": now,
}


def measure(world: World, n_weeks: int, trials: int) -> dict[str, float]:
    """Return shares of test blocks (or of pairs, for `found`) by what was looked at."""
    rng = np.random.default_rng([n_weeks, WORLDS.index(world)])
    counts = dict.fromkeys((f"{what} {name}" for what in ("any", "best", "found") for name in METHODS), 0.0)
    for trial in range(trials):
        draws = draw_rmse(draw(world, n_weeks, rng), block_for(BLOCK, world.steps), RESAMPLES, trial)
        best = int(np.argmin(draws.estimates))
        with_best = np.array([best in pair for pair in PAIRS])
        for name, method in METHODS.items():
            told = method(draws, PAIRS)
            counts[f"any {name}"] += told.any()
            counts[f"found {name}"] += told[[0 in pair for pair in PAIRS]].mean()
            if name == "before":  # the family was the comparisons with the best
                told = method(draws, [pair for pair in PAIRS if best in pair])
                counts["best before"] += told.any()
            else:  # the entries of all pairs
                counts["best now"] += told[with_best].any()
    return {name: count / trials for name, count in counts.items()}


def main(trials: int) -> None:
    """Print the table."""
    print(f"{MODELS} models, {trials} test blocks a line, nominal 5 %, blocks of {BLOCK} weeks")
    print(f"{'':38}{'weeks':>6}{'any pair':>16}{'against the best':>20}{'':8}")
    print(f"{'':44}{'before':>8}{'now':>8}{'before':>12}{'now':>8}")
    for world in WORLDS:
        for n_weeks in (12, 26, 52, 104):
            if n_weeks < 2 * block_for(BLOCK, world.steps):
                continue
            found = measure(world, n_weeks, trials)
            keys = [f"{what} {name}" for what in ("any", "best") for name in METHODS]
            if world.better < 1:
                keys = ["found before", "found now"]
            shown = "".join(f"{found[key]:{12 if key == 'best before' else 8}.1%}" for key in keys)
            power = "   of the better model's pairs" if world.better < 1 else ""
            print(f"{world.name:38}{n_weeks:6}{shown}{power}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
