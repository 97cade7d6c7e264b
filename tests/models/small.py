"""Every model, small enough to fit in a fraction of a second."""

from __future__ import annotations

from typing import Any

from panelbench.config.settings import Settings, SplitSettings
from panelbench.data import Task, build_task
from panelbench.models import registry
from panelbench.models.settings import ExperimentSettings
from panelbench.panel import Panel
from tests.helpers.panels import make_panel

OWN: dict[str, dict[str, Any]] = {
    "random_forest": {"trees": 5},
    "xgboost": {"trees": 5},
    "rnn": {"hidden": 6},
    "lstm": {"hidden": 6},
    "cnn": {"filters": [4, 6]},
    "ffn": {"widths": [8, 4]},
    "transformer": {"width": 8, "feed_forward": 8, "heads": 2},
    "transformer_decoder": {"width": 8, "feed_forward": 8, "heads": 2, "layers": 1},
    "transformer_encoder_decoder": {"width": 8, "feed_forward": 8, "heads": 2, "layers": 1},
    "conv_transformer": {"width": 8, "feed_forward": 8, "heads": 2, "layers": 1},
}
TRANSFORMERS = ("transformer", "transformer_decoder", "transformer_encoder_decoder", "conv_transformer")
NETWORKS = ("linear", "dlinear", "ffn", "rnn", "lstm", "cnn", *TRANSFORMERS)
DEFAULTS = {"lookback": 8, "epochs": 2, "batch_size": 32, "device": "cpu"}


def settings(model: str, **own: Any) -> ExperimentSettings:
    experiment = {"model": model, **OWN.get(model, {}), **own}
    whole = Settings(panel={}, seeds=(0,), defaults=DEFAULTS, experiments={"it": experiment})
    return registry.resolve(whole)["it"]


def panel(series: int = 3, steps: int = 80, past: int = 1) -> Panel:
    return make_panel(series=series, steps=steps, season=13, past=past)


def task(experiment: ExperimentSettings, source: Panel | None = None) -> Task:
    """Cut a panel; where forecasts are fed back, it has no covariates that are known only afterwards."""
    split = SplitSettings(test_steps=12, validation_steps=6)
    fed_back = experiment.mode == "recursive" and not experiment.generates
    return build_task(source if source is not None else panel(past=0 if fed_back else 1), split, experiment)
