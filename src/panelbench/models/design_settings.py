"""What linear networks and further Transformer designs can be told; as light to import as `settings`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from panelbench.models.network_settings import NetworkSettings


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
