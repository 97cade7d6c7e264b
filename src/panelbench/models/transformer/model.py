"""The Transformer encoder as a forecaster's network, to be read in one sitting.

A window of L periods with C channels is embedded period by period, told its order, mixed by encoder
layers, and read out at one place:

    (b, L, C) -> linear -> (b, L, width) -> + positions -> layers -> last position or mean -> linear -> (b, H)

All H forecasts come out at once from observed values alone, so no causal mask is needed.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.encoder import Encoder, EncoderLayer
from panelbench.models.transformer.positions import make_positions


class TransformerEncoder(nn.Module):
    """Embedding, positions, encoder layers, read-out.

    At 4 channels, width 64, 4 heads, 128 hidden units, 2 layers and one step ahead: 67,329 weights.
    """

    def __init__(self, settings: TransformerSettings, channels: int) -> None:
        super().__init__()
        self.embed = nn.Linear(channels, settings.width)
        self.positions = make_positions(settings.positions, settings.lookback, settings.width)
        layer = EncoderLayer(
            settings.width,
            settings.heads,
            settings.feed_forward,
            settings.dropout,
            norm_first=settings.norm == "pre",
            activation=settings.activation,
        )
        norm = nn.LayerNorm(settings.width) if settings.norm == "pre" else None
        self.encoder = Encoder(layer, settings.layers, norm)
        self.pool = settings.pool
        self.head = nn.Linear(settings.width, settings.horizon)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) scaled windows to (b, H) scaled forecasts."""
        x = self.positions(self.embed(windows))
        # Read at the last position, the last layer is needed there alone: half the work of two layers.
        x = self.encoder(x, first=x.shape[1] - 1 if self.pool == "last" else 0)
        return cast(Tensor, self.head(x.mean(dim=1)))

    @torch.inference_mode()
    def attention(self, windows: Tensor) -> Tensor:
        """Return (b, layers, heads, L, L): how much each period (row) looks at each other (column)."""
        x = self.positions(self.embed(windows))
        used, _ = self.encoder.looks(x)
        return torch.stack(used, dim=1)
