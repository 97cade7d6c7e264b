from __future__ import annotations

import itertools

import numpy as np
import pytest

from panelbench.report.colours import BASELINE, HUES, looks, mix

# Machado, Oliveira and Fernandes (2009), full severity, linear RGB.
DEFICIENCIES = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


@pytest.mark.parametrize("colour", [*HUES.values(), BASELINE])
def test_every_hue_stands_out_from_the_page(colour: str) -> None:
    assert _contrast_with_white(colour) >= 3.0


@pytest.mark.parametrize("kind", DEFICIENCIES)
def test_no_two_models_look_alike_to_a_colour_blind_reader(kind: str) -> None:
    seen = {
        name: _lab(np.array(DEFICIENCIES[kind]) @ _linear(colour))
        for name, colour in {**HUES, "baseline": BASELINE}.items()
    }
    closest = min(
        (float(np.linalg.norm(seen[a] - seen[b])), a, b) for a, b in itertools.combinations(seen, 2)
    )
    assert closest[0] > 14, closest


def test_an_experiment_keeps_its_look_when_another_is_added_after_it() -> None:
    few = looks({"rnn": "rnn", "transformer": "transformer"})
    more = looks({"rnn": "rnn", "transformer": "transformer", "transformer_b": "transformer", "mine": "mine"})
    assert {name: more[name] for name in few} == few


def test_experiments_of_one_model_differ_by_marker_and_shade() -> None:
    found = looks({f"t{i}": "transformer" for i in range(5)})
    assert len({(look.colour, look.marker) for look in found.values()}) == 5


def test_ten_experiments_of_one_model_differ_by_shade_and_line_together() -> None:
    found = looks({f"t{i}": "transformer" for i in range(10)})
    assert len({(look.colour, look.line) for look in found.values()}) == 10
    assert len({look.line for look in list(found.values())[:7]}) == 7


def test_baselines_are_grey_and_told_apart_by_line() -> None:
    found = looks({"a": "seasonal_naive", "b": "last_value"})
    assert {look.colour for look in found.values()} == {BASELINE}
    assert found["a"].line != found["b"].line


def test_forty_unknown_models_all_get_a_look() -> None:
    assert len(looks({f"m{i}": f"model_{i}" for i in range(40)})) == 40


def test_mixing_goes_from_one_colour_to_the_other() -> None:
    assert mix("#102030", "#ffffff", 0.0) == "#102030"
    assert mix("#102030", "#ffffff", 1.0) == "#ffffff"


def test_contrast_of_black_on_white_is_the_largest_there_is() -> None:
    assert _contrast_with_white("#000000") == pytest.approx(21.0)


def _contrast_with_white(colour: str) -> float:
    """The contrast ratio as WCAG 2 defines it, 1 to 21."""
    return 1.05 / (float(_linear(colour) @ [0.2126, 0.7152, 0.0722]) + 0.05)


def _linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def _lab(linear: np.ndarray) -> np.ndarray:
    matrix = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = matrix @ np.clip(linear, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
