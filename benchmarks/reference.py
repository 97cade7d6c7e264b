"""The loop a student writes: what panelbench's training is measured against.

One process, one seed after the other, torch as it comes: its own number of threads, a `DataLoader` over a
`TensorDataset` of stacked windows, `nn.RNN`, `nn.LSTM`, `nn.TransformerEncoder`, `torch.optim.Adam`. It does
the same work as `panelbench train`: same windows, scaling, epochs, batches in the same order, a gradient that
is clipped, a validation pass after each epoch, forecasts of the test block.

    python -m benchmarks.reference --root DIR --models rnn lstm --seeds 0 1

prints one JSON line a run: experiment, seed, test RMSE, validation RMSE of the last epoch, seconds. DIR holds
params.yaml and a prepared panel (`panelbench prepare`); `benchmarks.training` makes one.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Sampler, TensorDataset

from panelbench.config import load
from panelbench.data import Scaler, Task, Windows, build_task
from panelbench.models import registry
from panelbench.models.network_settings import CnnSettings, NetworkSettings, TransformerSettings
from panelbench.models.transformer.positions import sinusoids
from panelbench.panel import load_panel

LAST = {"rnn": nn.RNN, "lstm": nn.LSTM}


class Recurrent(nn.Module):
    """`nn.RNN` or `nn.LSTM` and a linear layer on the last state."""

    def __init__(self, settings: NetworkSettings, channels: int) -> None:
        super().__init__()
        self.body = LAST[settings.model](channels, settings.hidden, settings.layers, batch_first=True)
        self.head = nn.Linear(settings.hidden, settings.horizon)

    def forward(self, x: Tensor) -> Tensor:
        """Map (b, L, C) to (b, H)."""
        states, _ = self.body(x)
        return self.head(states[:, -1])


class Convolution(nn.Module):
    """Two convolutions and a linear layer on all positions."""

    def __init__(self, settings: CnnSettings, channels: int) -> None:
        super().__init__()
        (one, two), (first, second) = settings.filters, settings.kernels
        self.body = nn.Sequential(
            nn.Conv1d(channels, one, first), nn.ReLU(), nn.Conv1d(one, two, second), nn.ReLU(), nn.Flatten()
        )
        self.head = nn.Linear(two * (settings.lookback - first - second + 2), settings.horizon)

    def forward(self, x: Tensor) -> Tensor:
        """Map (b, L, C) to (b, H)."""
        return self.head(self.body(x.transpose(1, 2)))


class Transformer(nn.Module):
    """`nn.TransformerEncoder` read at its last position."""

    def __init__(self, settings: TransformerSettings, channels: int) -> None:
        super().__init__()
        self.embed = nn.Linear(channels, settings.width)
        table = sinusoids(settings.lookback, settings.width)
        if settings.positions == "none":
            table.zero_()
        self.register_buffer("table", table)
        layer = nn.TransformerEncoderLayer(
            settings.width, settings.heads, settings.feed_forward, settings.dropout, batch_first=True
        )
        self.body = nn.TransformerEncoder(layer, settings.layers)
        self.head = nn.Linear(settings.width, settings.horizon)

    def forward(self, x: Tensor) -> Tensor:
        """Map (b, L, C) to (b, H)."""
        return self.head(self.body(self.embed(x) + self.table)[:, -1])


NETWORKS = {"rnn": Recurrent, "lstm": Recurrent, "cnn": Convolution, "transformer": Transformer}


class Order(Sampler[int]):
    """All windows in an order drawn anew each epoch.

    `DataLoader(shuffle=True)` does the same with a `RandomSampler`, which draws twice an epoch; drawn once,
    the order is panelbench's and the results can be held against each other seed by seed.
    """

    def __init__(self, count: int, seed: int, shuffle: bool) -> None:
        self.count, self.shuffle = count, shuffle
        self.generator = torch.Generator().manual_seed(seed)

    def __iter__(self) -> Iterator[int]:
        if not self.shuffle:
            return iter(range(self.count))
        return iter(torch.randperm(self.count, generator=self.generator).tolist())

    def __len__(self) -> int:
        return self.count


def stacked(windows: Windows, scaler: Scaler) -> Tensor:
    """Return (n, L, C) scaled windows, overlapping ones copied."""
    centre, spread = scaler.inputs(windows)
    return torch.from_numpy((windows.inputs() - centre) / spread)


def train(settings: NetworkSettings, seed: int, task: Task, device: str) -> tuple[float, float]:
    """Train one seed; return the test RMSE and the last epoch's validation RMSE, both in the panel's unit."""
    scaler = Scaler.fit(task.train, "global", "level")
    mean, sd = (float(value[0, 0]) for value in scaler.target(task.train))
    x, y = stacked(task.train, scaler), torch.from_numpy((task.train.y - mean) / sd).float()
    data = TensorDataset(x, y)
    loader = DataLoader(data, settings.batch_size, sampler=Order(len(data), seed, settings.shuffle))
    valid = [] if task.valid is None else [(stacked(task.valid, scaler), task.valid.y)]

    torch.manual_seed(seed)
    model = NETWORKS[settings.model](settings, x.shape[2]).to(device)
    adam = torch.optim.Adam(model.parameters(), settings.learning_rate, weight_decay=settings.weight_decay)
    loss_of = nn.MSELoss()
    watched = float("nan")
    for _ in range(settings.epochs):
        model.train()
        total = 0.0
        for inputs, targets in loader:
            adam.zero_grad()
            loss = loss_of(model(inputs.to(device)), targets.to(device))
            loss.backward()
            if settings.clip_norm is not None:
                nn.utils.clip_grad_norm_(model.parameters(), settings.clip_norm)
            adam.step()
            total += loss.item() * len(inputs)
        for inputs, truth in valid:
            watched = rmse(predict(model, inputs, device), mean, sd, truth)
    return rmse(predict(model, stacked(task.test, scaler), device), mean, sd, task.truth), watched


@torch.no_grad()
def predict(model: nn.Module, inputs: Tensor, device: str) -> np.ndarray:
    """Return (n, H) scaled forecasts."""
    model.eval()
    chunks = DataLoader(TensorDataset(inputs), 1024)
    return torch.cat([model(chunk.to(device)).cpu() for (chunk,) in chunks]).double().numpy()


def rmse(scaled: np.ndarray, mean: float, sd: float, truth: np.ndarray) -> float:
    """Return the root mean squared error in the panel's unit."""
    return float(np.sqrt(np.mean((scaled * sd + mean - truth) ** 2)))


def main() -> None:
    """Train every model and seed, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path())
    parser.add_argument("--models", nargs="+", required=True, help="experiments of params.yaml")
    parser.add_argument("--seeds", nargs="+", type=int, required=True)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    settings = load(options.root / "params.yaml")
    panel = load_panel(options.root / "data/panel.parquet", options.root / "data/panel.json")
    experiments = registry.resolve(settings)
    for name in options.models:
        task = build_task(panel, settings.split, experiments[name])
        for seed in options.seeds:
            began = time.perf_counter()
            test, valid = train(experiments[name], seed, task, options.device)
            run = {"experiment": name, "seed": seed, "rmse": test, "valid_rmse": valid}
            print(json.dumps({**run, "seconds": time.perf_counter() - began}), flush=True)


if __name__ == "__main__":
    main()
