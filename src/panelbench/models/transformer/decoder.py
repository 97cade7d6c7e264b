"""The decoder-only Transformer: every position forecasts the value after it and sees nothing later.

    (b, L, C) -> linear -> (b, L, width) -> + positions -> causal layers -> linear -> (b, L): next values

It learns at all L positions of a window at once, which the causal mask makes honest. It forecasts at the
last one; for more than one period its forecast is appended to the window, whose oldest period drops out, and
so on (`models/recursive.py`). A window keeps the trained length, so no position is new to the model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from panelbench.data import Scaler, Windows
from panelbench.models.base import Observer
from panelbench.models.design_settings import TransformerDecoderSettings
from panelbench.models.transformer import tokens
from panelbench.models.transformer.forecaster import TransformerForecaster
from panelbench.models.transformer.masks import causal_mask
from panelbench.models.transformer.model import scratch_encoder
from panelbench.models.transformer.positions import make_positions


class TransformerDecoder(nn.Module):
    """Embedding, positions, causal layers, one next value a position.

    A decoder without an encoder to look into is an encoder's stack under a causal mask, so the layers and
    the number of weights are the encoder's: 67,329 at 4 channels, width 64, 128 hidden units and 2 layers.
    """

    blocked: Tensor

    def __init__(self, settings: TransformerDecoderSettings, channels: int) -> None:
        super().__init__()
        tokens.require_lookback(settings.lookback)
        self.settings = settings
        self.channels = channels
        self.target = settings.channels.index("y") if settings.channels else 0
        self.embed = nn.Linear(channels, settings.width)
        self.positions = make_positions(settings.positions, settings.lookback, settings.width)
        self.decoder = scratch_encoder(settings, settings.lookback)
        self.head = nn.Linear(settings.width, 1)
        self.register_buffer("blocked", causal_mask(settings.lookback), persistent=False)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) scaled windows to (b, 1) scaled forecasts.

        Raises
        ------
        ValueError
            If the windows have another shape.
        """
        # The last layer is needed at the last position alone.
        x = self.decoder(self._embedded(windows), self.blocked, self.settings.lookback - 1)
        return cast(Tensor, self.head(x)[:, -1])

    def supervised(self, windows: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Return next values as forecast and as they were, both (b, L), or (b, 1) with `supervise: last`.

        Within the window the next value is the window's own; after its last period it is the target.
        """
        if self.settings.supervise == "last":
            return self(windows), targets
        forecasts = self.head(self.decoder(self._embedded(windows), self.blocked))[..., 0]
        values = windows[..., self.target]
        following = values[:, 1:] - values[:, :-1] if self.settings.target == "difference" else values[:, 1:]
        return forecasts, torch.cat([following, targets], dim=1)

    @torch.inference_mode()
    def looks(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        """Return how much each period (row) looks at each other (column), (b, layers, heads, L, L).

        As the network does it, and with 1 / sqrt(d_k) taken out of each layer's scores.
        """
        used, unscaled = self.decoder.looks(self._embedded(windows), self.blocked)
        return torch.stack(used, dim=1), torch.stack(unscaled, dim=1)

    def _embedded(self, windows: Tensor) -> Tensor:
        tokens.require_windows(windows, self.settings.lookback, self.channels)
        return cast(Tensor, self.positions(self.embed(windows)))


class DecoderForecaster(TransformerForecaster[TransformerDecoder]):
    """A Transformer forecaster whose target stands on its inputs' scale.

    What is the target at one position is an input at the next, so one centre and one spread serve both. With
    `target: difference` the change is divided by the values' spread.
    """

    def _fit_scaler(self, train: Windows) -> Scaler:
        scaler = super()._fit_scaler(train)
        if scaler.scaling == "window":  # there target and inputs share their scale anyway
            return scaler
        centre, spread = scaler.mean[:, 0, 0], scaler.sd[:, 0, 0]
        difference = scaler.target_kind == "difference"
        return replace(scaler, y_mean=np.zeros_like(centre) if difference else centre, y_sd=spread)


def transformer_decoder(
    settings: TransformerDecoderSettings, seed: int, threads: int, observe: Observer | None
) -> DecoderForecaster:
    """Build a decoder-only Transformer that forecasts one step."""
    return DecoderForecaster(
        lambda channels: TransformerDecoder(settings, channels), settings, seed, threads, observe
    )
