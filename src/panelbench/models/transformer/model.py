"""The Transformer encoder as a forecaster's network, to be read in one sitting.

A window of L periods with C channels is cut into n tokens (one a period, or one a patch), each embedded,
told its place, mixed with the others by encoder layers, and read out:

    (b, L, C) -> tokens -> linear -> (b, n, width) -> + positions -> layers -> pool -> linear -> (b, H)

All H forecasts come out at once, from observed values alone: periods of the window may look at later ones
of the same window without any leak, so a causal mask is a choice and not a need.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from panelbench.models.network_settings import AttentionSettings, TransformerSettings
from panelbench.models.transformer import tokens
from panelbench.models.transformer.convolutional import make_attention
from panelbench.models.transformer.encoder import Encoder, EncoderLayer
from panelbench.models.transformer.masks import causal_mask
from panelbench.models.transformer.positions import make_positions
from panelbench.models.transformer.relative import make_relative
from panelbench.models.transformer.revin import RevIN


class TransformerEncoder(nn.Module):
    """Tokens, embedding, positions, encoder layers, read-out.

    At 4 channels, width 64, 4 heads, 128 hidden units, 2 layers and one step ahead: 67,329 weights.

    With `mixing: independent` every channel is a window of its own for embedding and layers, which all
    channels share; channels meet in the head alone, which reads what each has at its read-out side by side,
    in the network's order. With one channel that is no difference.

    Parameters
    ----------
    settings
        Of the experiment.
    channels
        C.

    Raises
    ------
    ValueError
        If the lookback is below 1.
    """

    blocked: Tensor | None

    def __init__(self, settings: TransformerSettings, channels: int) -> None:
        super().__init__()
        tokens.require_lookback(settings.lookback)
        self.settings = settings
        self.channels = channels
        self.target = settings.channels.index("y") if settings.channels else 0
        apart = settings.mixing == "independent"
        n = settings.tokens
        features = (settings.patch_length or 1) * (1 if apart else channels)

        self.revin = RevIN(channels, self.target) if settings.revin else None
        self.embed = nn.Linear(features, settings.width)
        self.positions = make_positions(settings.positions, n, settings.width)
        self.encoder = make_encoder(settings, n)
        read = settings.width * (n if settings.pool == "flatten" else 1) * (channels if apart else 1)
        self.head = nn.Linear(read, settings.horizon)
        self.register_buffer("blocked", causal_mask(n) if settings.causal else None, persistent=False)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) scaled windows to (b, H) scaled forecasts.

        Raises
        ------
        ValueError
            If the windows have another shape.
        """
        tokens.require_windows(windows, self.settings.lookback, self.channels)
        if self.revin is None:
            return self._forecast(windows)
        scaled, mean, sd = self.revin(windows)
        return self.revin.restore(self._forecast(scaled), mean, sd)

    def _forecast(self, windows: Tensor) -> Tensor:
        x = self._embedded(windows)
        # Read at the last position, the last layer is needed there alone: half the work of two layers.
        first = x.shape[1] - 1 if self.settings.pool == "last" else 0
        if isinstance(self.encoder, Encoder):
            x = self.encoder(x, self.blocked, first)
        else:
            x = self.encoder(x, mask=self.blocked, is_causal=self.settings.causal)[:, first:]
        read = x.flatten(1) if self.settings.pool == "flatten" else x.mean(dim=1)
        return cast(Tensor, self.head(read.reshape(len(windows), -1)))

    def _embedded(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) to (b, n, width), or to (b * C, n, width) where channels are apart."""
        settings = self.settings
        if settings.mixing == "independent":
            windows = tokens.apart(windows)
        if settings.patch_length is not None:
            stride = settings.patch_stride or settings.patch_length
            windows = tokens.cut_patches(windows, settings.patch_length, stride)
        return cast(Tensor, self.positions(self.embed(windows)))

    @torch.inference_mode()
    def looks(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        """Return how much each token (row) looks at each other (column), twice (b, layers, heads, n, n).

        First as the network does it; then with 1 / sqrt(d_k) taken out of each layer's scores, on the same
        queries and keys. Where channels are apart: of the target's channel.
        """
        tokens.require_windows(windows, self.settings.lookback, self.channels)
        x = self._embedded(windows if self.revin is None else self.revin(windows)[0])
        if self.settings.mixing == "independent":
            x = x[self.target :: self.channels]
        encoder = self.encoder
        if not isinstance(encoder, Encoder):  # the library's weights, in layers that can be looked into
            encoder = scratch_encoder(self.settings, x.shape[1]).to(x)
            encoder.load_state_dict(self.encoder.state_dict())
            encoder.eval()
        used, unscaled = encoder.looks(x, self.blocked)
        return torch.stack(used, dim=1), torch.stack(unscaled, dim=1)


def make_encoder(settings: TransformerSettings, length: int) -> Encoder | nn.TransformerEncoder:
    """Return the layers for L positions; both implementations draw the same weights from one seed."""
    if settings.implementation == "library":
        return library_encoder(settings)
    return scratch_encoder(settings, length)


def scratch_encoder(settings: AttentionSettings, length: int) -> Encoder:
    """Return the layers built from this package's parts."""
    relative = make_relative(settings.positions, length, settings.width, settings.heads)
    layer = EncoderLayer(
        settings.width,
        settings.heads,
        settings.feed_forward,
        settings.dropout,
        norm_first=settings.norm == "pre",
        activation=settings.activation,
        attention=make_attention(settings, relative),
    )
    return Encoder(layer, settings.layers, final_norm(settings))


def library_encoder(settings: TransformerSettings) -> nn.TransformerEncoder:
    """Return torch's own layers, with its fused attention."""
    layer = nn.TransformerEncoderLayer(
        settings.width,
        settings.heads,
        settings.feed_forward,
        settings.dropout,
        activation=settings.activation,
        batch_first=True,
        norm_first=settings.norm == "pre",
    )
    return nn.TransformerEncoder(layer, settings.layers, final_norm(settings), enable_nested_tensor=False)


def final_norm(settings: AttentionSettings) -> nn.LayerNorm | None:
    """Return the norm after the last layer, or None where the settings want none."""
    wanted = settings.norm == "pre" if settings.final_norm == "auto" else settings.final_norm
    return nn.LayerNorm(settings.width) if wanted else None
