"""Small panels whose numbers have nothing regular about them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from panelbench.panel import Panel, PanelInfo


def make_panel(series: int = 3, steps: int = 120, season: int = 52, seed: int = 0, past: int = 1) -> Panel:
    rng = np.random.default_rng(seed)
    level = rng.lognormal(6, 1, (series, 1))
    names = tuple(f"s{index:03d}" for index in range(series))
    past_names = tuple(f"past_{index}" for index in range(past))
    dates = pd.date_range("2019-01-07", periods=steps, freq="W-MON").to_numpy("datetime64[ns]")
    info = PanelInfo(
        source="test", title="t", target_name="sales", unit="EUR", frequency="W-MON", season=season,
        n_series=series, n_steps=steps, n_rows=series * steps,
        start=str(dates[0])[:10], end=str(dates[-1])[:10],
        past=past_names, future=("promo", "holiday"), static=("kind",),
    )  # fmt: skip
    static = pd.DataFrame({"kind": [("a", "b")[index % 2] for index in range(series)]})
    return Panel(
        info, names, dates,
        y=level * (1 + 0.2 * rng.standard_normal((series, steps))),
        past=rng.standard_normal((series, steps, past)),
        future=rng.integers(0, 6, (series, steps, 2)).astype(float),
        static=static,
    )  # fmt: skip
