from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from panelbench.config import Settings, parse
from panelbench.files import sha256, write_parquet, write_text
from tests.helpers.panels import make_panel

SMALL = {"lookback": 8, "epochs": 2, "batch_size": 16}
EXPERIMENTS = {
    "naive": {"model": "seasonal_naive", "season": 4},
    "last": {"model": "last_value", "seeds": [5, 3]},
    "rnn": {"model": "rnn", "hidden": 4},
    "endless": {"model": "rnn", "hidden": 4, "epochs": 100_000},
    "diverging": {"model": "rnn", "hidden": 4, "learning_rate": 1e12, "clip_norm": None, "epochs": 20},
    "transformer": {"model": "transformer", "width": 8, "heads": 2, "feed_forward": 8, "layers": 1},
    "too_long": {"model": "last_value", "lookback": 500},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project's folder with a prepared panel of 3 series x 60 weeks."""
    panel = make_panel(steps=60)
    write_parquet(tmp_path / "data/panel.parquet", panel.to_frame())
    info = panel.info.model_copy(update={"sha256": sha256(tmp_path / "data/panel.parquet")})
    write_text(tmp_path / "data/panel.json", info.model_dump_json())
    return tmp_path


@pytest.fixture
def settings() -> Settings:
    return make_settings()


@pytest.fixture
def with_execution() -> Callable[..., Settings]:
    return make_settings


def make_settings(**changes: Any) -> Settings:
    content = {
        "panel": {"source": "synthetic"},
        "split": {"test_steps": 8, "validation_steps": 4},
        "seeds": [0, 1, 2],
        "defaults": SMALL,
        "experiments": EXPERIMENTS,
    }
    return parse(Settings, content | changes, "")
