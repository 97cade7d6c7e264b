from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from panelbench.config import Settings, parse
from panelbench.files import sha256, write_parquet, write_text
from panelbench.train.run import Outcome, train
from tests.helpers.panels import make_panel

SMALL = {"lookback": 8, "epochs": 2, "batch_size": 16}
EXPERIMENTS = {
    "naive": {"model": "seasonal_naive", "season": 4},
    "last": {"model": "last_value", "seeds": [5, 3]},
    "rnn": {"model": "rnn", "hidden": 4},
    "endless": {"model": "rnn", "hidden": 4, "epochs": 100_000},
    "diverging": {"model": "ffn", "widths": [8, 8], "learning_rate": 1e12, "clip_norm": None, "seeds": [4]},
    "transformer": {"model": "transformer", "width": 8, "heads": 2, "feed_forward": 8, "layers": 1},
    "too_long": {"model": "last_value", "lookback": 500},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def make_project(tmp_path: Path) -> Path:
    """Return a project's folder with a prepared panel of 3 series x 60 weeks."""
    panel = make_panel(steps=60)
    write_parquet(tmp_path / "data/panel.parquet", panel.to_frame())
    info = panel.info.model_copy(update={"sha256": sha256(tmp_path / "data/panel.parquet")})
    write_text(tmp_path / "data/panel.json", info.model_dump_json())
    return tmp_path


@pytest.fixture
def settings() -> Settings:
    return make_settings()


@pytest.fixture
def settings_with() -> Callable[..., Settings]:
    return make_settings


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A Transformer of two seeds, trained once for the tests that only look at it."""
    root = make_project(tmp_path_factory.mktemp("trained"))
    settings = make_settings(execution={"workers": 1})
    return train("transformer", settings, root, Console(file=io.StringIO()))


def make_settings(**changes: Any) -> Settings:
    content = {
        "panel": {"source": "synthetic"},
        "split": {"test_steps": 8, "validation_steps": 4},
        "seeds": [0, 1],
        "defaults": SMALL,
        "experiments": EXPERIMENTS,
    }
    return parse(Settings, content | changes, "")
