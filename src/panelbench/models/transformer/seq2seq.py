"""The encoder-decoder Transformer: an encoder reads the window, a decoder writes the forecasts one by one.

    window (b, L, C) -> n tokens -> encoder -> memory (b, n, width)
    start, forecast of step 1, 2, ... -> causal decoder, looking into the memory -> step 1, 2, 3, ...

In training the true values of earlier steps stand in for their forecasts (teacher forcing), so that all H
steps are learned at once under a causal mask. Forecasting, the decoder has nothing but its own output.
"""

from __future__ import annotations

import copy
from typing import cast

import torch
from torch import Tensor, nn

from panelbench.data import Windows
from panelbench.data.windows import select_channels
from panelbench.errors import InputError
from panelbench.models.base import FitRecord, Observer
from panelbench.models.design_settings import TransformerEncoderDecoderSettings
from panelbench.models.transformer import tokens
from panelbench.models.transformer.decoder_layer import DecoderLayer, KeysValues
from panelbench.models.transformer.forecaster import TransformerForecaster
from panelbench.models.transformer.masks import causal_mask
from panelbench.models.transformer.model import final_norm, scratch_encoder
from panelbench.models.transformer.positions import make_positions


class Decoder(nn.Module):
    """Equal layers on top of each other, and a last norm where there is one."""

    def __init__(self, settings: TransformerEncoderDecoderSettings) -> None:
        super().__init__()
        layer = DecoderLayer(settings, settings.horizon)
        self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(settings.layers))
        self.norm = final_norm(settings)

    def remember(self, memory: Tensor) -> list[KeysValues]:
        """Project the encoder's output for every layer."""
        return [cast(DecoderLayer, layer).remember(memory) for layer in self.layers]

    def forward(
        self,
        x: Tensor,
        memory: list[KeysValues],
        earlier: list[KeysValues] | None = None,
        blocked: Tensor | None = None,
    ) -> tuple[Tensor, list[KeysValues]]:
        """Map N new tokens (b, N, width) to (b, N, width); see `DecoderLayer.forward`, for each layer."""
        kept = []
        for place, layer in enumerate(self.layers):
            x, so_far = layer(x, memory[place], earlier[place] if earlier else None, blocked)
            kept.append(so_far)
        return (x if self.norm is None else self.norm(x)), kept


class EncoderDecoder(nn.Module):
    """Encoder, decoder, and what turns numbers into their tokens.

    A step's token holds the value of the step before and the known-ahead channels of its own period; the
    first has a learned vector instead of a value. Both sides stand on one axis of n + H positions.

    Parameters
    ----------
    settings
        Of the experiment.
    channels
        C.
    ahead
        Which of the channels are read H periods ahead, so that their last H positions are those of the
        periods to be forecast.
    """

    blocked: Tensor

    def __init__(self, settings: TransformerEncoderDecoderSettings, channels: int, ahead: list[int]) -> None:
        super().__init__()
        tokens.require_lookback(settings.lookback)
        self.settings = settings
        self.channels = channels
        self.ahead = ahead
        n = settings.tokens
        self.embed = nn.Linear((settings.patch_length or 1) * channels, settings.width)
        self.positions = make_positions(settings.positions, n + settings.horizon, settings.width)
        self.encoder = scratch_encoder(settings, n)
        self.embed_decoder = nn.Linear(1 + len(ahead), settings.width)
        self.start = nn.Parameter(torch.zeros(settings.width))
        self.decoder = Decoder(settings)
        self.head = nn.Linear(settings.width, 1)
        self.register_buffer("blocked", causal_mask(settings.horizon), persistent=False)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) scaled windows to (b, H) scaled forecasts, each made from those before it.

        Raises
        ------
        ValueError
            If the windows have another shape.
        """
        memory, known = self._read(windows)
        value = windows.new_zeros(len(windows), 1)
        forecasts: list[Tensor] = []
        earlier = None
        for step in range(self.settings.horizon):
            token = self._tokens(value, known[:, step : step + 1], step)
            x, earlier = self.decoder(token, memory, earlier)
            value = self.head(x)[..., 0]
            forecasts.append(value)
        return torch.cat(forecasts, dim=1)

    def supervised(self, windows: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Return forecasts made with the true values of earlier steps, and the targets; both (b, H)."""
        memory, known = self._read(windows)
        before = torch.cat([targets.new_zeros(len(targets), 1), targets[:, :-1]], dim=1)
        x, _ = self.decoder(self._tokens(before, known, 0), memory, blocked=self.blocked)
        return self.head(x)[..., 0], targets

    @torch.inference_mode()
    def looks(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        """Return how much each token looks at each other in the encoder, (b, layers, heads, n, n), twice.

        As the network does it, and with 1 / sqrt(d_k) taken out of each layer's scores.
        """
        used, unscaled = self.encoder.looks(self._embedded(windows))
        return torch.stack(used, dim=1), torch.stack(unscaled, dim=1)

    def _read(self, windows: Tensor) -> tuple[list[KeysValues], Tensor]:
        """Return the encoder's output, projected, and (b, H, F) what is known of the periods to forecast."""
        memory = self.decoder.remember(self.encoder(self._embedded(windows)))
        horizon = self.settings.horizon
        if not self.ahead:
            return memory, windows.new_zeros(len(windows), horizon, 0)
        return memory, windows[:, -horizon:, self.ahead]

    def _embedded(self, windows: Tensor) -> Tensor:
        settings = self.settings
        tokens.require_windows(windows, settings.lookback, self.channels)
        if settings.patch_length is not None:
            stride = settings.patch_stride or settings.patch_length
            windows = tokens.cut_patches(windows, settings.patch_length, stride)
        return self._placed(self.embed(windows), 0)

    def _tokens(self, before: Tensor, known: Tensor, first: int) -> Tensor:
        """Return (b, N, width) tokens of the steps from `first` on: previous values (b, N), what is known."""
        x = self.embed_decoder(torch.cat([before[..., None], known], dim=2))
        if first == 0:
            x = torch.cat([x[:, :1] + self.start, x[:, 1:]], dim=1)
        return self._placed(x, self.settings.tokens + first)

    def _placed(self, x: Tensor, first: int) -> Tensor:
        """Tell tokens that they stand at `first` and after it."""
        table = getattr(self.positions, "table", None)
        return x if table is None else x + table[first : first + x.shape[1]]


class EncoderDecoderForecaster(TransformerForecaster[EncoderDecoder]):
    """A Transformer forecaster that knows which channels tell of the periods to be forecast."""

    def __init__(
        self,
        settings: TransformerEncoderDecoderSettings,
        seed: int,
        threads: int,
        observe: Observer | None,
    ) -> None:
        self._ahead: list[int] = []

        def make(channels: int) -> EncoderDecoder:
            return EncoderDecoder(settings, channels, self._ahead)

        super().__init__(make, settings, seed, threads, observe)

    def fit(self, train: Windows, valid: Windows | None) -> FitRecord:
        """Train; see `NetworkForecaster.fit`.

        Raises
        ------
        InputError
            If known-ahead channels are read and the lookback is shorter than the horizon: the window then
            does not hold them for every period to be forecast.
        """
        names, future = train.channel_names, set(train.known.info.future)
        read = select_channels(names, self._settings.channels)
        if train.covariates == "ahead":
            self._ahead = [place for place, channel in enumerate(read) if names[channel] in future]
        if self._ahead and train.lookback < train.horizon:
            raise InputError(
                f"params.yaml: the experiment '{self._settings.label or self._settings.model}' has lookback "
                f"{train.lookback} and horizon {train.horizon}: a window this short does not hold the "
                "known-ahead channels of every period to be forecast. Use a lookback of at least the "
                "horizon, `covariates: past`, or `channels` without them."
            )
        return super().fit(train, valid)


def transformer_encoder_decoder(
    settings: TransformerEncoderDecoderSettings, seed: int, threads: int, observe: Observer | None
) -> EncoderDecoderForecaster:
    """Build an encoder-decoder Transformer."""
    return EncoderDecoderForecaster(settings, seed, threads, observe)
