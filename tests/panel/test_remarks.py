from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from panelbench.errors import InputError
from panelbench.panel.contract import check
from panelbench.panel.draft import Draft

STEPS = 30
RANDOM = np.random.default_rng(0)
BASE = RANDOM.normal(100, 10, STEPS)
PROMO = RANDOM.integers(0, 2, STEPS).astype(float)


def notes(y: Any = BASE, **columns: Any) -> str:
    frame = pd.DataFrame({"ds": pd.date_range("2020-01-06", periods=STEPS, freq="W-MON"), "y": y, **columns})
    frame["unique_id"] = "a"
    draft = Draft(frame, "Test", "sales", "units", "W-MON", future=tuple(columns))
    return " ".join(check(draft)[1])


def test_when_columns_are_ordinary_then_nothing_is_said() -> None:
    assert notes(promo=PROMO, price=BASE + PROMO) == ""


def test_when_a_covariate_is_constant_then_it_is_named() -> None:
    assert "no model can learn from it: price." in notes(promo=PROMO, price=7.0)


@pytest.mark.parametrize("scale", [1.0, 1e9, 1e-3])
def test_when_a_covariate_follows_from_others_then_the_later_one_is_named(scale: float) -> None:
    said = notes(promo=PROMO, price=scale * BASE, both=3 - 2 * PROMO + 0.5 * scale * BASE)
    assert "Follows exactly from the covariates before it: both." in said
    assert "Follows" not in notes(promo=PROMO, price=scale * BASE, nearly=PROMO + 1e-6 * BASE**2)


def test_when_a_target_hardly_varies_then_it_is_said() -> None:
    assert "hardly sees: sales." in notes(y=1e9 + BASE)
    assert "hardly" not in notes(y=1e4 + BASE)


@pytest.mark.parametrize(("largest", "refused"), [(1e-7, True), (2e-4, False), (0.0, False)])
def test_when_every_value_is_next_to_nothing_then_a_smaller_unit_is_asked_for(
    largest: float, refused: bool
) -> None:
    y = largest * PROMO
    if not refused:
        notes(y=y)
        return
    with pytest.raises(InputError, match=r"the target \(sales\) is nowhere larger than 1e-07.*multiply"):
        notes(y=y)
