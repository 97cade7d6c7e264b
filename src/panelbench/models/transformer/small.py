"""A small Transformer forecaster, whole: one channel in, one value out.

It is the Transformer of params.yaml at

    {model: transformer, lookback: 12, horizon: 1, width: 32, heads: 4, feed_forward: 64, layers: 1,
     dropout: 0.1, positions: sinusoidal, norm: post, pool: last, channels: [y]}

written down without settings, as a first reading.
"""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from panelbench.models.transformer.encoder import EncoderLayer
from panelbench.models.transformer.positions import SinusoidalPositions
from panelbench.models.transformer.tokens import require_lookback, require_windows


class SmallForecaster(nn.Module):
    """One post-norm encoder layer between an embedding with fixed positions and a linear read-out.

    The observed periods may all look at each other: they are known when the next one is forecast, so no
    causal mask is needed and nothing leaks.

    Parameters
    ----------
    lookback
        Periods of history L in a window.
    width
        Features of a period inside the model.
    heads, feed_forward, dropout
        Of the encoder layer.

    Raises
    ------
    ValueError
        If the lookback is below 1.
    """

    def __init__(
        self,
        lookback: int = 12,
        width: int = 32,
        heads: int = 4,
        feed_forward: int = 64,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        require_lookback(lookback)
        self.lookback = lookback
        self.embed = nn.Linear(1, width)
        self.positions = SinusoidalPositions(lookback, width)
        self.layer = EncoderLayer(width, heads, feed_forward, dropout)
        self.head = nn.Linear(width, 1)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, 1) windows to (b, 1) forecasts of the next value.

        Raises
        ------
        ValueError
            If the windows have another shape; it names the expected one.
        """
        require_windows(windows, self.lookback, channels=1)
        x = self.embed(windows)  # (b, L, width): each period by itself
        x = self.positions(x)  # told where it stands
        x = self.layer(x)  # mixed with the others
        return cast(Tensor, self.head(x[:, -1]))  # read at the last period, which has seen all
