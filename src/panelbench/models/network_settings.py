"""What a neural network can be told in params.yaml; as light to import as `settings`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from panelbench.models.settings import ExperimentSettings, NotNegative, Positive, Probability, Width


class NetworkSettings(ExperimentSettings):
    """What every neural network has: how it is trained and what it sees."""

    epochs: Annotated[int, Field(ge=1, le=100_000)] = 30
    """Passes over the training windows."""
    batch_size: Annotated[int, Field(ge=1, le=1_000_000)] = 128
    """Windows in an update; the last one of an epoch may hold fewer."""
    learning_rate: Positive = 0.001
    """Of Adam."""
    weight_decay: NotNegative = 0.0001
    """Of Adam: L2, added to the gradient."""
    clip_norm: Positive | None = 1.0
    """Largest norm of the whole gradient; null for none."""
    shuffle: bool = True
    """Draw the batches in a new order each epoch; false takes them series by series."""
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    """Where the network runs; `auto` takes cuda, else mps, else cpu."""
    scaling: Literal["global", "series", "window", "none"] = "global"
    """Whose mean and sd scale a window: the training block's, the series', the window's own, nobody's."""
    target: Literal["level", "difference"] = "level"
    """Forecast the value, or its change against the last observed one."""
    loss: Literal["mse", "mae"] = "mse"
    """On the scaled target."""
    channels: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """The input channels to use and their order, `y` among them; left out: all, in the panel's order."""

    @field_validator("channels")
    @classmethod
    def _channels_are_distinct(cls, channels: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if channels is not None and len(set(channels)) < len(channels):
            raise ValueError("each channel may appear once")
        return channels


class RecurrentSettings(NetworkSettings):
    """A recurrent network read out at its last state."""

    hidden: Width = 64
    """Width of the state."""
    layers: Annotated[int, Field(ge=1, le=64)] = 1
    """Recurrent layers on top of each other."""


class RnnSettings(RecurrentSettings):
    """Vanilla (Elman, tanh) recurrent network."""


class LstmSettings(RecurrentSettings):
    """Long short-term memory."""


class CnnSettings(NetworkSettings):
    """Two or more 1-D convolutions over time, without padding, and a linear head."""

    filters: Annotated[tuple[Width, ...], Field(min_length=1, max_length=16)] = (32, 64)
    """Output channels of each convolution."""
    kernels: Annotated[tuple[Width, ...], Field(min_length=1, max_length=16, validate_default=True)] = (5, 3)
    """Periods each convolution spans."""
    head: Literal["flatten", "avgpool", "maxpool"] = "flatten"
    """Read all positions, their mean, or their maximum."""

    @field_validator("kernels")
    @classmethod
    def _kernels_fit(cls, kernels: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        filters, lookback = info.data.get("filters"), info.data.get("lookback")
        if filters is not None and len(filters) != len(kernels):
            raise ValueError(f"one kernel for each of the {len(filters)} filters is needed")
        field = sum(kernels) - len(kernels) + 1
        if lookback is not None and field > lookback:
            raise ValueError(f"together they span {field} periods, more than the lookback of {lookback}")
        return kernels


class FfnSettings(NetworkSettings):
    """A feed-forward network on the flattened window."""

    widths: Annotated[tuple[Width, ...], Field(min_length=1, max_length=64)] = (128, 64)
    """Units of each hidden layer."""
    dropout: Probability = 0.2
    """After each hidden layer."""


class TransformerSettings(NetworkSettings):
    """Transformer encoder."""

    width: Width = 64
    """Features of a position inside the model (d_model)."""
    heads: Annotated[int, Field(ge=1, le=1024, validate_default=True)] = 4
    """Attention heads; each has width / heads features."""
    feed_forward: Width = 128
    """Hidden units of the position-wise feed-forward part."""
    layers: Annotated[int, Field(ge=1, le=64)] = 2
    """Encoder layers."""
    dropout: Probability = 0.1
    """On attention weights, inside the feed-forward part and on each sub-layer's output."""
    positions: Annotated[Literal["sinusoidal", "learned", "none"], Field(validate_default=True)] = (
        "sinusoidal"
    )
    """What is added to tell the model the order of the periods."""
    norm: Literal["post", "pre"] = "post"
    """LayerNorm after each residual sum (the original) or before each sub-layer."""
    activation: Literal["relu", "gelu"] = "relu"
    """Of the feed-forward part."""
    pool: Literal["last", "mean"] = "last"
    """Read the forecast from the last position or from the mean of all."""

    @field_validator("heads")
    @classmethod
    def _heads_divide_width(cls, heads: int, info: ValidationInfo) -> int:
        width = info.data.get("width")
        if width is not None and width % heads:
            raise ValueError(f"heads must divide width, and {width} is not a multiple of {heads}")
        return heads

    @field_validator("positions")
    @classmethod
    def _sinusoids_come_in_pairs(cls, positions: str, info: ValidationInfo) -> str:
        width = info.data.get("width")
        if positions == "sinusoidal" and width is not None and width % 2:
            raise ValueError(f"sines and cosines come in pairs, so width must be even, and it is {width}")
        return positions
