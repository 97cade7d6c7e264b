"""What each probe can be told in probes/<name>.yaml; importing this costs nothing.

Every figure that decides about cost or outcome is here, so that a probe can be changed without its code.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from panelbench.config import Strict
from panelbench.config.safe_yaml import read_yaml
from panelbench.config.settings import ExecutionSettings, PositiveInt, Seed
from panelbench.config.strict import choices, nearest, parse
from panelbench.errors import InputError
from panelbench.models.registry import MODELS
from panelbench.models.settings import ExperimentSettings, NotNegative, Positive, Share, Steps

FOLDER = Path("probes")
Own = dict[str, Any]
"""A model and what differs from its defaults, as under `experiments` in params.yaml."""


class Training(Strict):
    """How every network of a probe is trained."""

    updates: PositiveInt
    """Steps of Adam."""
    batch_size: PositiveInt = 64
    learning_rate: Positive = 0.001
    weight_decay: NotNegative = 0.0
    """L2."""


class ProbeSettings(Strict):
    """What every probe has."""

    workers: Annotated[Literal["auto"] | int, *ExecutionSettings.model_fields["workers"].metadata] = "auto"
    """Fits at the same time, each with one thread; auto: one a core."""
    confidence: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    """Of every interval."""


class SeededSettings(ProbeSettings):
    """What every probe has that trains networks."""

    seeds: Annotated[tuple[Seed, ...], Field(min_length=1, max_length=100)]

    @field_validator("seeds")
    @classmethod
    def _seeds_are_distinct(cls, seeds: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(seeds)) < len(seeds):
            raise ValueError("each seed may appear once; a repeated run is no new evidence")
        return seeds


class ReachSettings(SeededSettings):
    """How far back a network can look: the target is the value k steps back."""

    steps_back: Annotated[tuple[Steps, ...], Field(min_length=1, max_length=50)]
    """The k to try."""
    margin: PositiveInt = 8
    """Values in the window that are older than the one asked for."""
    test_windows: PositiveInt = 2000
    training: Training
    models: Annotated[dict[str, Own], Field(min_length=1)]
    """Name: a model and its settings; one with a `lookback` of its own sees that many values at most."""
    silent: tuple[str, ...] = ()
    """Models also tried where all other values are zero, so that there is only one to keep."""
    threshold: Share = 0.5
    """A network reaches k when its error is below this share of the ignorant one's, for every k up to it."""

    @field_validator("silent")
    @classmethod
    def _silent_are_declared(cls, names: tuple[str, ...], info: Any) -> tuple[str, ...]:
        models = info.data.get("models", {})
        for name in names:
            if models and name not in models:
                raise ValueError(f"'{name}' is not among the models; declared are {', '.join(models)}")
        return names


class DepthSettings(SeededSettings):
    """Whether deep stacks train, by the place of the norm and the warm-up of the learning rate."""

    layers: Annotated[tuple[Annotated[int, Field(ge=1, le=64)], ...], Field(min_length=1)]
    norms: Annotated[tuple[Literal["post", "pre"], ...], Field(min_length=1)] = ("post", "pre")
    warmup_steps: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)]
    """Updates in which the learning rate rises; 0: none."""
    steps_back: Steps = 5
    """The task is that of the probe `reach` at this k."""
    margin: PositiveInt = 8
    test_windows: PositiveInt = 2000
    training: Training
    transformer: Own
    """Settings of the Transformer, without layers, norm and warm-up."""
    threshold: Share = 0.5
    """A seed counts as trained when its error is below this share of the ignorant one's."""


class PanelTask(Strict):
    """A synthetic panel and how it is cut; the keys are those of params.yaml."""

    series: PositiveInt = 30
    steps: PositiveInt = 156
    seed: Seed = 0
    """Of the panel."""
    test_steps: PositiveInt = 26
    validation_steps: PositiveInt = 13
    lookback: Steps = 26


class SizeSettings(SeededSettings):
    """Whether the order of the models turns with the amount of data."""

    panel: PanelTask = PanelTask()
    fractions: Annotated[tuple[Share, ...], Field(min_length=1)]
    """Shares of the panel's training windows (`train_fraction`)."""
    times: tuple[Annotated[int, Field(ge=2, le=1000)], ...] = ()
    """Panels that many times larger, by more series of the same kind; the first series are the panel's."""
    training: Training
    models: Annotated[dict[str, Own], Field(min_length=2)]


class HeadsSettings(SeededSettings):
    """What several heads cost and bring at equal width."""

    panel: PanelTask = PanelTask()
    heads: Annotated[tuple[Annotated[int, Field(ge=1, le=1024)], ...], Field(min_length=2)]
    """The first is what the others are held against."""
    training: Training
    transformer: Own = Field(default_factory=dict)
    """Settings of the Transformer, without heads."""


class LengthsSettings(ProbeSettings):
    """What attention costs by the length of the window; `models/cost.py` measures."""

    lengths: Annotated[tuple[Annotated[int, Field(ge=8, le=65_536)], ...], Field(min_length=2)]
    models: Annotated[tuple[Literal["transformer", "lstm", "rnn", "cnn"], ...], Field(min_length=1)]
    rounds: Annotated[int, Field(ge=1, le=100)] = 3
    """Measurements of each; one after the other, each in a process of its own."""

    @field_validator("models")
    @classmethod
    def _attention_is_measured(cls, models: tuple[str, ...]) -> tuple[str, ...]:
        if "transformer" not in models:
            raise ValueError("transformer must be among them: its cost is what is asked for")
        return models


PROBES: dict[str, type[ProbeSettings]] = {
    "reach": ReachSettings,
    "depth": DepthSettings,
    "size": SizeSettings,
    "heads": HeadsSettings,
    "lengths": LengthsSettings,
}


def load(name: str, folder: Path = FOLDER) -> ProbeSettings:
    """Read one probe's settings.

    Raises
    ------
    InputError
        If there is no such probe, no such file, or a key or value is not allowed.
    """
    if name not in PROBES:
        raise InputError(f"there is no probe '{name}'.{nearest(name, PROBES)} There are {choices(PROBES)}.")
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise InputError(f"{path} is not there. It is part of the repository: `git checkout {path}`.")
    settings = parse(PROBES[name], read_yaml(path), "", str(path))
    shortest = {}
    if isinstance(settings, ReachSettings):
        shortest = {"lookback": min(settings.steps_back) + settings.margin}
    for place, own in owns(settings).items():
        model_settings(own, f"{path}", place, **shortest)
    return settings


def owns(settings: ProbeSettings) -> dict[str, Own]:
    """Return every group of model settings in a probe's by its place in the file."""
    if isinstance(settings, ReachSettings | SizeSettings):
        return {f"models.{name}": own for name, own in settings.models.items()}
    if isinstance(settings, DepthSettings | HeadsSettings):
        return {"transformer": {"model": "transformer", **settings.transformer}}
    return {}


def model_settings(
    own: Own, file: str = "the probe", place: str = "models", **decided: Any
) -> ExperimentSettings:
    """Return a model's complete settings; what the probe decides wins, where the model has such a setting.

    Raises
    ------
    InputError
        If the model or a key is unknown, or a value is not allowed.
    """
    model = own.get("model")
    if not isinstance(model, str) or model not in MODELS:
        raise InputError(
            f"{file}: {place}.model is {model!r}, which is not a model.{nearest(str(model), MODELS)} "
            f"Allowed: {choices(MODELS)}."
        )
    kind = MODELS[model].settings
    fixed = {key: value for key, value in decided.items() if key in kind.model_fields}
    return parse(kind, {**own, **fixed}, place, file)
