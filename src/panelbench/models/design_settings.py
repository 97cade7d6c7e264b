"""What linear networks and further Transformer designs can be told; as light to import as `settings`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator

from panelbench.models.network_settings import (
    AttentionSettings,
    NetworkSettings,
    PatchedSettings,
    TransformerSettings,
    count_tokens,
)


class LinearSettings(NetworkSettings):
    """One linear layer on the flattened window; its closed form is `ols` with `features: window`."""


class DLinearSettings(NetworkSettings):
    """One linear layer on the window's trend and one on the rest (Zeng et al. 2023).

    All channels are read, so that it knows what the other networks know; `channels: [y]` is the paper's.
    """

    kernel: Annotated[int, Field(ge=1, le=9_999)] = 25
    """Periods of the moving average that is the trend; odd, so that it is centred."""

    @field_validator("kernel")
    @classmethod
    def _kernel_is_odd(cls, kernel: int) -> int:
        if kernel % 2 == 0:
            raise ValueError(f"a centred average spans an odd number of periods; write {kernel + 1}")
        return kernel


class TransformerDecoderSettings(AttentionSettings):
    """Decoder-only Transformer: causal, forecasts the next value, feeds it back for the one after."""

    decided: ClassVar[frozenset[str]] = frozenset({"strategy"})

    strategy: Literal["recursive"] = "recursive"
    """Generation is recursive by design."""
    supervise: Literal["all", "last"] = "all"
    """Learn from the next value at every position of a window, or at its last alone."""


class TransformerEncoderDecoderSettings(PatchedSettings):
    """Encoder-decoder Transformer: the decoder writes the forecasts one by one, looking at the window.

    Patches are the encoder's: the decoder has a token a period to be forecast.
    """

    decided: ClassVar[frozenset[str]] = frozenset({"strategy"})
    generates: ClassVar[bool] = True

    strategy: Literal["recursive"] = "recursive"
    """Generation is recursive by design; in training true values are fed back instead (teacher forcing)."""


class ConvTransformerSettings(TransformerSettings):
    """Transformer whose queries and keys are causal convolutions (Li et al. 2019)."""

    decided: ClassVar[frozenset[str]] = frozenset({"implementation"})

    causal: bool = True
    """Let a position look back only, as in the paper."""
    implementation: Literal["scratch"] = "scratch"
    """The library has no such attention."""
    kernel: Annotated[int, Field(ge=1, le=9_999, validate_default=True)] = 3
    """Tokens that a query or key spans, the last one its own; 1 is plain attention."""

    @field_validator("kernel")
    @classmethod
    def _kernel_fits(cls, kernel: int, info: ValidationInfo) -> int:
        lookback, length = info.data.get("lookback"), info.data.get("patch_length")
        if lookback is None:
            return kernel
        if length is None and kernel > lookback:
            raise ValueError(f"it spans more than the lookback of {lookback}")
        tokens = count_tokens(lookback, length, info.data.get("patch_stride"))
        if kernel > tokens:
            raise ValueError(f"it spans more than the {tokens} patches of a window")
        return kernel
