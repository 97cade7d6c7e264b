"""Windows as scaled tensors on a device, gathered from views when a batch is needed."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from panelbench.data import Scaler, Windows

CHUNK = 1024
"""Windows that go through a network at once when nothing is learned from them."""


class Batches:
    """Windows of one block as a network sees them.

    The panel's values are moved to the device once; overlapping windows are a strided view of them, so
    memory does not grow with the lookback.

    Parameters
    ----------
    windows
        n windows of one block.
    scaler
        Fitted on the training block.
    channels
        Indices of the C channels that the network sees, in its order.
    device
        Where the network lives.

    Attributes
    ----------
    targets
        (n, H) scaled targets; None for the test block.
    spread
        (n, 1) factor from the scaled target back to the panel's unit.
    """

    def __init__(self, windows: Windows, scaler: Scaler, channels: list[int], device: torch.device) -> None:
        centre, spread = scaler.inputs(windows)
        values, centre, spread = windows.values[..., channels], centre[..., channels], spread[..., channels]
        self._by_window = scaler.scaling == "window"
        if self._by_window:
            self._centre, self._spread = _tensor(centre, device), _tensor(spread, device)
        else:
            values = (values - centre) / spread
        # (S, O - L + 1, L, C), a view
        self._view = _tensor(values, device).unfold(1, windows.lookback, 1).transpose(2, 3)
        self._series = torch.from_numpy(windows.series).to(device)
        self._position = torch.from_numpy(windows.position).to(device)
        self._target_centre, self._target_spread = scaler.target(windows)
        self.device = device
        self.spread = _tensor(self._target_spread, device)
        self.targets: Tensor | None = None
        if windows.y is not None:
            self.targets = _tensor((windows.y - self._target_centre) / self._target_spread, device)

    def __len__(self) -> int:
        return len(self._series)

    def inputs(self, rows: Tensor | slice) -> Tensor:
        """Return (b, L, C) the scaled windows of the chosen rows."""
        series, position = self._series[rows], self._position[rows]
        windows = self._view[series, position]
        if self._by_window:
            windows = (windows - self._centre[series, position, None]) / self._spread[series, position, None]
        return windows

    def chunks(self) -> list[slice]:
        """Return slices over all windows, in order, for passes that learn nothing."""
        return [slice(first, first + CHUNK) for first in range(0, len(self), CHUNK)]

    def to_units(self, scaled: Tensor) -> NDArray[np.float64]:
        """Return (n, H) scaled forecasts of all windows in the panel's unit."""
        return scaled.cpu().double().numpy() * self._target_spread + self._target_centre


def _tensor(values: NDArray[np.floating], device: torch.device) -> Tensor:
    tensor = torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))
    # From pinned memory a GPU copies by itself, while this process goes on.
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)
