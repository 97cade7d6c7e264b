"""One encoder layer: attention, then a small network at each position, each around a residual."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from torch import Tensor, nn
from torch.nn import functional

from panelbench.models.network_settings import TransformerSettings
from panelbench.models.transformer.attention import SelfAttention
from panelbench.models.transformer.dropout import Dropout

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": functional.relu, "gelu": functional.gelu}


class EncoderLayer(nn.Module):
    """Attention mixes periods, the feed-forward part works on each period by itself.

    `norm: post` is the original: LayerNorm after each residual sum. `norm: pre` normalises the input
    of each part and leaves the residual stream alone. LayerNorm's statistics are those of one position
    over its features, never over the batch or over time.

    Weights have the names, shapes and initial values of `torch.nn.TransformerEncoderLayer`.
    """

    def __init__(self, settings: TransformerSettings) -> None:
        super().__init__()
        width, hidden = settings.width, settings.feed_forward
        self.self_attn = SelfAttention(width, settings.heads, settings.dropout)
        self.linear1 = nn.Linear(width, hidden)
        self.linear2 = nn.Linear(hidden, width)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.dropout = Dropout(settings.dropout)
        self.activation = ACTIVATIONS[settings.activation]
        self.norm_first = settings.norm == "pre"

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Map (b, L, width) to (b, L - first, width): the layer's output at positions from `first` on.

        Leaving out positions that nobody reads changes nothing in the others: they meet only as keys
        and values, which are always computed for all.
        """
        kept = x[:, first:]
        if self.norm_first:
            kept = kept + self.dropout(self.self_attn(self.norm1(x), first))
            return cast(Tensor, kept + self._feed_forward(self.norm2(kept)))
        kept = self.norm1(kept + self.dropout(self.self_attn(x, first)))
        return cast(Tensor, self.norm2(kept + self._feed_forward(kept)))

    def attention_input(self, x: Tensor) -> Tensor:
        """Return what the attention of this layer looks at."""
        return cast(Tensor, self.norm1(x)) if self.norm_first else x

    def _feed_forward(self, x: Tensor) -> Tensor:
        hidden = self.dropout(self.activation(self.linear1(x)))
        return cast(Tensor, self.dropout(self.linear2(hidden)))
