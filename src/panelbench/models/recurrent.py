"""Recurrent networks: vanilla RNN and LSTM, read out at the last state."""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from panelbench.models.base import Observer
from panelbench.models.network import NetworkForecaster
from panelbench.models.network_settings import LstmSettings, RecurrentSettings, RnnSettings

CELLS = {"rnn": nn.RNN, "lstm": nn.LSTM}


class Recurrent(nn.Module):
    """Walk through the window, oldest period first, and map the last state to the forecasts.

    With 4 channels, 64 units and one step ahead: 4,545 weights (RNN), 17,985 (LSTM: four gates, four
    times the recurrent weights).
    """

    def __init__(self, cell: str, channels: int, hidden: int, layers: int, horizon: int) -> None:
        super().__init__()
        # The body comes first: the order in which weights are drawn decides what a seed means.
        self.body = CELLS[cell](channels, hidden, layers, batch_first=True)
        self.head = nn.Linear(hidden, horizon)

    def forward(self, windows: Tensor) -> Tensor:
        """Map (b, L, C) to (b, H)."""
        states, _ = self.body(windows)  # (b, L, hidden)
        return cast(Tensor, self.head(states[:, -1]))


def rnn(
    settings: RnnSettings, seed: int, threads: int, observe: Observer | None
) -> NetworkForecaster[Recurrent]:
    """Build a vanilla RNN (Elman 1990; tanh)."""
    return _recurrent("rnn", settings, seed, threads, observe)


def lstm(
    settings: LstmSettings, seed: int, threads: int, observe: Observer | None
) -> NetworkForecaster[Recurrent]:
    """Build a long short-term memory network (Hochreiter and Schmidhuber 1997)."""
    return _recurrent("lstm", settings, seed, threads, observe)


def _recurrent(
    cell: str, settings: RecurrentSettings, seed: int, threads: int, observe: Observer | None
) -> NetworkForecaster[Recurrent]:
    def make(channels: int) -> Recurrent:
        return Recurrent(cell, channels, settings.hidden, settings.layers, settings.horizon)

    return NetworkForecaster(make, settings, seed, threads, observe)
