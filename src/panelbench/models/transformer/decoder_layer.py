"""One layer of a decoder that looks at itself and at an encoder's output."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from panelbench.models.network_settings import AttentionSettings
from panelbench.models.transformer.attention import MultiHeadAttention
from panelbench.models.transformer.dropout import Dropout
from panelbench.models.transformer.encoder import ACTIVATIONS
from panelbench.models.transformer.relative import make_relative

KeysValues = tuple[Tensor, Tensor]
"""Projected keys and values, each (b, heads, K, d_k)."""


class DecoderLayer(nn.Module):
    """Causal self-attention, attention to the encoder's output, feed-forward; each around a residual.

    Tokens may come all at once (training) or one by one (forecasting): keys and values of earlier tokens and
    of the encoder's output are then passed in and not computed again.

    Weights have the names, shapes and initial values of `torch.nn.TransformerDecoderLayer`.
    """

    def __init__(self, settings: AttentionSettings, length: int) -> None:
        super().__init__()
        width, heads = settings.width, settings.heads
        relative = make_relative(settings.positions, length, width, heads)
        self.self_attn = MultiHeadAttention(width, heads, settings.dropout, settings.scaled, relative)
        self.multihead_attn = MultiHeadAttention(width, heads, settings.dropout, settings.scaled)
        self.linear1 = nn.Linear(width, settings.feed_forward)
        self.linear2 = nn.Linear(settings.feed_forward, width)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.norm3 = nn.LayerNorm(width)
        self.dropout = Dropout(settings.dropout)
        self.activation = ACTIVATIONS[settings.activation]
        self.norm_first = settings.norm == "pre"

    def forward(
        self, x: Tensor, memory: KeysValues, earlier: KeysValues | None = None, blocked: Tensor | None = None
    ) -> tuple[Tensor, KeysValues]:
        """Map N new tokens (b, N, width) to the layer's output (b, N, width).

        Parameters
        ----------
        memory
            The encoder's output, projected by `remember`.
        earlier
            What this returned for the tokens before; None at the first.
        blocked
            Boolean, over the new tokens (N, all tokens so far); True = may not attend.

        Returns
        -------
        tuple
            The output, and keys and values of all tokens so far.
        """
        seen = self.norm1(x) if self.norm_first else x
        queries, keys, values = self.self_attn.project(seen, seen)
        if earlier is not None:
            keys, values = torch.cat([earlier[0], keys], dim=2), torch.cat([earlier[1], values], dim=2)
        mixed = self.dropout(self.self_attn.attend(queries, keys, values, blocked))
        x = x + mixed if self.norm_first else self.norm1(x + mixed)

        asked = self.multihead_attn.queries(self.norm2(x) if self.norm_first else x)
        found = self.dropout(self.multihead_attn.attend(asked, *memory))
        x = x + found if self.norm_first else self.norm2(x + found)

        out = self._feed_forward(self.norm3(x) if self.norm_first else x)
        return (x + out if self.norm_first else self.norm3(x + out)), (keys, values)

    def remember(self, memory: Tensor) -> KeysValues:
        """Project the encoder's output (b, K, width) for this layer, once for all tokens."""
        return self.multihead_attn.keys_and_values(memory)

    def _feed_forward(self, x: Tensor) -> Tensor:
        hidden = self.dropout(self.activation(self.linear1(x)))
        return cast(Tensor, self.dropout(self.linear2(hidden)))
