"""What a neural network can be told in params.yaml; as light to import as `settings`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from panelbench.models.settings import ExperimentSettings, NotNegative, Positive, Probability, Steps, Width


class NetworkSettings(ExperimentSettings):
    """What every neural network has: how it is trained and what it sees."""

    epochs: Annotated[int, Field(ge=1, le=100_000)] = 30
    """Passes over the training windows."""
    batch_size: Annotated[int, Field(ge=1, le=1_000_000)] = 128
    """Windows in an update; the last one of an epoch may hold fewer."""
    learning_rate: Positive = 0.001
    """Of Adam."""
    warmup_steps: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Updates in which the learning rate rises to that value, by the same amount each time; 0 for none."""
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
    precision: Literal["float32", "bf16"] = "float32"
    """Of matrix products while training and forecasting; bf16 keeps 8 bits and suits GPUs made for it."""
    compile: bool = False
    """Train with code compiled for the network; if that cannot be done, the run's notes say why."""
    channels: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """The input channels to use and their order, `y` among them; left out: all, in the panel's order."""

    @property
    def reads(self) -> tuple[str, ...] | None:
        """Return the channels."""
        return self.channels

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

    @property
    def receptive_field(self) -> int:
        """Periods that one output position of the convolutions sees."""
        return sum(self.kernels) - len(self.kernels) + 1

    @field_validator("kernels")
    @classmethod
    def _kernels_fit(cls, kernels: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        filters, lookback = info.data.get("filters"), info.data.get("lookback")
        if filters is not None and len(filters) != len(kernels):
            raise ValueError(f"one kernel for each of the {len(filters)} filters is needed")
        field = sum(kernels) - len(kernels) + 1  # the receptive field
        if lookback is not None and field > lookback:
            raise ValueError(f"together they span {field} periods, more than the lookback of {lookback}")
        return kernels


class FfnSettings(NetworkSettings):
    """A feed-forward network on the flattened window."""

    widths: Annotated[tuple[Width, ...], Field(min_length=1, max_length=64)] = (128, 64)
    """Units of each hidden layer."""
    dropout: Probability = 0.2
    """After each hidden layer."""


def _auto_or_bool(value: Any) -> Any:
    if value != "auto" and not isinstance(value, bool):
        raise ValueError("auto, true or false is needed")
    return value


class AttentionSettings(NetworkSettings):
    """What every Transformer has, whatever its design."""

    width: Width = 64
    """Features of a position inside the model (d_model)."""
    heads: Annotated[int, Field(ge=1, le=1024, validate_default=True)] = 4
    """Attention heads; each has width / heads features."""
    feed_forward: Width = 128
    """Hidden units of the position-wise feed-forward part."""
    layers: Annotated[int, Field(ge=1, le=64)] = 2
    """Layers on top of each other; of encoder and decoder each, where there are both."""
    dropout: Probability = 0.1
    """On attention weights, inside the feed-forward part and on each sub-layer's output."""
    positions: Annotated[
        Literal["sinusoidal", "learned", "none", "rotary", "alibi"], Field(validate_default=True)
    ] = "sinusoidal"
    """How the model is told the order: added to the input (`sinusoidal`, `learned`), or inside attention
    (`rotary` turns queries and keys, `alibi` lowers scores with the distance)."""
    norm: Literal["post", "pre"] = "post"
    """LayerNorm after each residual sum (the original) or before each sub-layer."""
    final_norm: Annotated[Literal["auto", True, False], BeforeValidator(_auto_or_bool)] = "auto"
    """LayerNorm after the last layer; `auto`: with `norm: pre` only."""
    activation: Literal["relu", "gelu"] = "relu"
    """Of the feed-forward part."""
    scaled: bool = True
    """Divide attention's scores by the root of the head's width."""

    @field_validator("heads")
    @classmethod
    def _heads_divide_width(cls, heads: int, info: ValidationInfo) -> int:
        width = info.data.get("width")
        if width is not None and width % heads:
            raise ValueError(f"heads must divide width, and {width} is not a multiple of {heads}")
        return heads

    @field_validator("positions")
    @classmethod
    def _rotations_need_pairs(cls, positions: str, info: ValidationInfo) -> str:
        width, heads = info.data.get("width"), info.data.get("heads")
        if positions == "rotary" and width and heads and width // heads % 2:
            raise ValueError(
                f"features are turned in pairs, so width / heads must be even, and it is {width // heads}"
            )
        return positions


def count_tokens(lookback: int, length: int | None, stride: int | None) -> int:
    """Return how many whole patches of `length` periods, `stride` apart, end with a window's last period."""
    return lookback if length is None else (lookback - length) // (stride or length) + 1


class PatchedSettings(AttentionSettings):
    """A Transformer whose tokens may be patches of the window."""

    patch_length: Steps | None = None
    """Periods in a token; null: one token a period."""
    patch_stride: Steps | None = None
    """Periods from one token's start to the next one's; null: `patch_length`, so that none is read twice."""

    @property
    def tokens(self) -> int:
        """Positions that attention works on: the periods of a window, or its patches.

        Patches end with the last period. Where they do not fill the lookback, its oldest periods, fewer
        than a stride, are left out.
        """
        return count_tokens(self.lookback, self.patch_length, self.patch_stride)

    @field_validator("patch_length")
    @classmethod
    def _a_patch_fits(cls, length: int | None, info: ValidationInfo) -> int | None:
        lookback = info.data.get("lookback")
        if length is not None and lookback is not None and length > lookback:
            raise ValueError(f"a patch cannot be longer than the lookback of {lookback}")
        return length

    @field_validator("patch_stride")
    @classmethod
    def _patches_leave_no_gap(cls, stride: int | None, info: ValidationInfo) -> int | None:
        length = info.data.get("patch_length")
        if stride is not None and "patch_length" in info.data:
            if length is None:
                raise ValueError("this is the distance of patches, so patch_length is needed too")
            if stride > length:
                raise ValueError(f"patches of {length} periods that far apart leave periods unread")
        return stride


class TransformerSettings(PatchedSettings):
    """Transformer encoder."""

    pool: Literal["last", "mean", "flatten"] = "last"
    """Read the forecast from the last position, from the mean of all, or from all side by side."""
    mixing: Literal["mixed", "independent"] = "mixed"
    """A token holds all channels, or each channel goes through the same encoder by itself."""
    revin: bool = False
    """Scale each window by its own lookback, with a learned affine map, and undo it on the forecast."""
    causal: bool = False
    """Let a position look back only."""
    implementation: Annotated[Literal["scratch", "library"], Field(validate_default=True)] = "scratch"
    """`scratch`: the readable parts, faster on a CPU; `library`: torch.nn.TransformerEncoder."""

    @field_validator("revin")
    @classmethod
    def _a_level_is_restored(cls, revin: bool, info: ValidationInfo) -> bool:
        if revin and info.data.get("target") == "difference":
            raise ValueError("revin gives a forecast the window's level back, so it needs target: level")
        return revin

    @field_validator("implementation")
    @classmethod
    def _the_library_can(cls, implementation: str, info: ValidationInfo) -> str:
        if implementation == "library":
            for name, value in (("positions", "rotary"), ("positions", "alibi"), ("scaled", False)):
                if info.data.get(name) == value:
                    written = f"{name}: {str(value).lower()}"
                    raise ValueError(f"torch.nn.TransformerEncoder has no `{written}`; write scratch")
        return implementation
