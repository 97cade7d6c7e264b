"""One look per experiment, the same in every figure: colour, marker and line style."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Dash = str | tuple[float, tuple[float, ...]]
"""A line style as matplotlib takes it."""

INK = "#1f2328"
MUTED = "#5b6570"
FAINT = "#c9ced6"
GRID = "#e6e8ec"
SHADE = "#f3f1ec"
ACCENT = "#0b6aa2"
ALARM = "#a8322a"
BASELINE = "#6e7681"

BASELINES = ("seasonal_naive", "last_value")
"""Models without anything to learn: drawn in grey and as reference lines."""

HUES: Mapping[str, str] = {
    "lasso": "#71a132",
    "xgboost": "#ea4410",
    "random_forest": "#7a4a1e",
    "ffn": "#9f0047",
    "rnn": "#a987b9",
    "lstm": "#532d7b",
    "cnn": "#12a767",
    "transformer": "#0072b2",
}
"""Hue by model: 3 to 1 contrast on white, and far apart also for readers without red or green cones.

Found by a search that maximises the smallest CIE Lab distance, seen with each kind of eyes (tested).
"""

FAMILIES: Mapping[str, str] = {
    "transformer_decoder": "transformer",
    "transformer_encoder_decoder": "transformer",
    "conv_transformer": "transformer",
    "ridge": "lasso",
    "ols": "lasso",
}
"""Models that share another one's hue and differ from it by shade, marker and line."""

SPARE = ("#b07d00", "#2f7f8f", "#5a5f16", "#2f4858", "#c4538f", "#8c6bb1")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h", "<", ">")
LINES: tuple[Dash, ...] = (
    "-", "--", "-.", ":", (0.0, (8.0, 2.0)), (0.0, (4.0, 1.5, 1.0, 1.5, 1.0, 1.5)), (0.0, (1.0, 2.5)),
)  # fmt: skip
"""More of them than shades, so that the second model with a shade has another line."""


@dataclass(frozen=True)
class Look:
    """How one experiment is drawn everywhere."""

    colour: str
    marker: str
    line: Dash
    baseline: bool


def looks(models: Mapping[str, str]) -> dict[str, Look]:
    """Give every experiment its look.

    Experiments of one model share its hue; the second and later ones differ by shade, marker and line.

    Parameters
    ----------
    models
        Model by experiment, in the declared order.
    """
    spare = iter(SPARE * (1 + len(models) // len(SPARE)))
    hues = dict(HUES)
    seen: dict[str, int] = {}
    result = {}
    for name, own in models.items():
        baseline, model = own in BASELINES, FAMILIES.get(own, own)
        if not baseline and model not in hues:
            hues[model] = next(spare)
        key = "baseline" if baseline else model
        order = seen[key] = seen.get(key, -1) + 1
        result[name] = Look(
            colour=BASELINE if baseline else _shade(hues[model], order),
            marker="D" if baseline else MARKERS[order % len(MARKERS)],
            line=(LINES[1:] if baseline else LINES)[order % (3 if baseline else len(LINES))],
            baseline=baseline,
        )
    return result


def _shade(colour: str, order: int) -> str:
    """Return the colour itself, then by turns darker and lighter ones that stay readable on white."""
    amounts = (0.0, -0.45, 0.28, -0.25, 0.15, -0.6)
    amount = amounts[order % len(amounts)]
    return mix(colour, "#ffffff" if amount > 0 else "#000000", abs(amount))


def mix(colour: str, other: str, amount: float) -> str:
    """Return `colour` moved by `amount` (0 to 1) towards `other`."""
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * amount):02x}" for a, b in pairs)


def _channels(colour: str) -> list[int]:
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
