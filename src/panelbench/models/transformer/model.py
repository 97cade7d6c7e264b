"""The Transformer encoder as a forecaster's network, to be read in one sitting.

A window of L periods with C channels is embedded period by period, told its order, mixed by encoder
layers, and read out at one place:

    (b, L, C) -> linear -> (b, L, width) -> + positions -> layers -> last position or mean -> linear -> (b, H)

All H forecasts come out at once from observed values alone, so no causal mask is needed.
"""

from __future__ import annotations

import copy
from typing import cast

import torch
from torch import Tensor, nn

from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.block import EncoderLayer
from panelbench.models.transformer.positions import make_positions


class TransformerEncoder(nn.Module):
    """Embedding, positions, encoder layers, read-out.

    At 4 channels, width 64, 4 heads, 128 hidden units, 2 layers and one step ahead: 67,329 weights.
    """

    def __init__(self, settings: TransformerSettings, channels: int) -> None:
        super().__init__()
        self.embed = nn.Linear(channels, settings.width)
        self.positions = make_positions(settings.positions, settings.lookback, settings.width)
        # Every layer starts from the same weights, as in torch.nn.TransformerEncoder, whose layers are
        # copies of the one it is given.
        layer = EncoderLayer(settings)
        self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(settings.layers))
        # Pre-norm layers never normalise the residual stream itself; without this it only grows.
        self.norm = nn.LayerNorm(settings.width) if settings.norm == "pre" else nn.Identity()
        self.pool = settings.pool
        self.head = nn.Linear(settings.width, settings.horizon)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) scaled windows to (b, H) scaled forecasts."""
        x = self.positions(self.embed(windows))
        for layer in self.layers[:-1]:
            x = layer(x)
        # Read at the last position, the last layer is needed there alone: half the work of two layers.
        x = self.layers[-1](x, first=x.shape[1] - 1 if self.pool == "last" else 0)
        return cast(Tensor, self.head(self.norm(x).mean(dim=1)))

    @torch.inference_mode()
    def attention(self, windows: Tensor) -> Tensor:
        """Return (b, layers, heads, L, L): how much each period (row) looks at each other (column)."""
        x = self.positions(self.embed(windows))
        looked = []
        for module in self.layers:
            layer = cast(EncoderLayer, module)
            weights, _ = layer.self_attn.weights_and_values(layer.attention_input(x))
            looked.append(weights)
            x = layer(x)
        return torch.stack(looked, dim=1)
