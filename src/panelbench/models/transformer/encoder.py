"""The encoder: layers of attention and a small network at each position, each around a residual."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import cast

from torch import Tensor, nn
from torch.nn import functional

from panelbench.models.transformer.attention import MultiHeadAttention, Relative
from panelbench.models.transformer.dropout import Dropout
from panelbench.models.transformer.masks import rows_from

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": functional.relu, "gelu": functional.gelu}


class EncoderLayer(nn.Module):
    """Attention mixes positions, the feed-forward part works on each position by itself.

    Post-norm is the original: LayerNorm after each residual sum. Pre-norm normalises the input of each
    part and leaves the residual stream alone. LayerNorm's statistics are those of one position over its
    features, never over the batch or over time.

    Weights have the names, shapes and initial values of `torch.nn.TransformerEncoderLayer`.

    Parameters
    ----------
    width, heads, dropout, scaled, relative
        As in `MultiHeadAttention`; `dropout` also works inside the feed-forward part and on what each
        part adds to the residual stream.
    feed_forward
        Hidden units of the feed-forward part: width -> feed_forward -> width.
    norm_first
        Pre-norm.
    activation
        "relu" or "gelu".
    attention
        To be used as self-attention; None for plain attention.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        feed_forward: int,
        dropout: float = 0.1,
        norm_first: bool = False,
        activation: str = "relu",
        scaled: bool = True,
        relative: Relative | None = None,
        attention: MultiHeadAttention | None = None,
    ) -> None:
        super().__init__()
        self.self_attn = attention or MultiHeadAttention(width, heads, dropout, scaled, relative)
        self.linear1 = nn.Linear(width, feed_forward)
        self.linear2 = nn.Linear(feed_forward, width)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.dropout = Dropout(dropout)
        self.activation = ACTIVATIONS[activation]
        self.norm_first = norm_first

    def forward(self, x: Tensor, blocked: Tensor | None = None, first: int = 0) -> Tensor:
        """Map (b, L, width) to (b, L - first, width): the layer's output at positions from `first` on.

        Leaving out positions that nobody reads changes nothing in the others: they meet only as keys
        and values, which are always computed for all.

        Parameters
        ----------
        blocked
            Boolean, broadcasting to (b, heads, L, L); True = may not attend.
        """
        kept, seen = x[:, first:], self.norm1(x) if self.norm_first else x
        # Queries are a slice of their own: the order in which gradients are summed decides the last digit.
        mixed = self.dropout(self.self_attn(seen[:, first:], seen, rows_from(blocked, first)))
        if self.norm_first:
            kept = kept + mixed
            return cast(Tensor, kept + self.feed_forward(self.norm2(kept)))
        kept = self.norm1(kept + mixed)
        return cast(Tensor, self.norm2(kept + self.feed_forward(kept)))

    def feed_forward(self, x: Tensor) -> Tensor:
        """Map (b, L, width) to (b, L, width), each position by itself."""
        hidden = self.dropout(self.activation(self.linear1(x)))
        return cast(Tensor, self.dropout(self.linear2(hidden)))

    def looks(self, x: Tensor, blocked: Tensor | None = None, scaled: bool | None = None) -> Tensor:
        """Return (b, heads, L, L): how much each position (row) looks at each other (column)."""
        seen = self.norm1(x) if self.norm_first else x
        queries, keys, _ = self.self_attn.project(seen, seen)
        return self.self_attn.weights(queries, keys, blocked, scaled)


class Encoder(nn.Module):
    """Equal layers on top of each other, and a last norm where there is one.

    Weights have the names and shapes of `torch.nn.TransformerEncoder`: `load_state_dict` takes either's.

    Parameters
    ----------
    layer
        Every layer starts as a copy of it, so all from the same weights, as in the library.
    n_layers
        How many.
    norm
        Applied at the end. Pre-norm layers never normalise the residual stream itself, which only grows
        without it; None for none.
    """

    def __init__(self, layer: EncoderLayer, n_layers: int, norm: nn.LayerNorm | None = None) -> None:
        super().__init__()
        self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(n_layers))
        self.norm = norm

    def forward(self, x: Tensor, blocked: Tensor | None = None, first: int = 0) -> Tensor:
        """Map (b, L, width) to (b, L - first, width).

        Only the last layer can leave out positions: every earlier output is a key of the next layer.
        """
        for layer in self.layers[:-1]:
            x = layer(x, blocked)
        x = self.layers[-1](x, blocked, first)
        return x if self.norm is None else cast(Tensor, self.norm(x))

    def looks(self, x: Tensor, blocked: Tensor | None = None) -> tuple[list[Tensor], list[Tensor]]:
        """Return each layer's (b, heads, L, L) weights: as they are, and with the root taken out.

        The second are those of the same queries and keys; what a layer reads is what it really reads.
        """
        used, unscaled = [], []
        for module in self.layers:
            layer = cast(EncoderLayer, module)
            used.append(layer.looks(x, blocked))
            unscaled.append(layer.looks(x, blocked, scaled=False))
            x = layer(x, blocked)
        return used, unscaled
