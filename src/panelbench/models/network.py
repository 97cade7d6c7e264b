"""A neural network as a forecaster: scaling, training, prediction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from panelbench.data import Scaler, Windows
from panelbench.data.windows import select_channels
from panelbench.models.acceleration import compile_network
from panelbench.models.base import FitRecord, Observer
from panelbench.models.batches import Batches
from panelbench.models.checks import Shape, require_finite
from panelbench.models.device import choose_device, prepare, tiny_numbers_as_zero
from panelbench.models.errors import Diverged
from panelbench.models.loop import forecast, train_network
from panelbench.models.network_settings import NetworkSettings
from panelbench.models.sanity import about_training

ModuleT = TypeVar("ModuleT", bound=nn.Module)


class NetworkForecaster(Generic[ModuleT]):
    """Trains a module that maps scaled windows (b, L, C) to scaled forecasts (b, H).

    Parameters
    ----------
    make
        Builds the module from its number of input channels; called right after seeding.
    settings, seed, threads, observe
        As in `registry.build`.

    Attributes
    ----------
    make_module
        As `make`.
    device
        Where the network runs.
    """

    deterministic = False

    def __init__(
        self,
        make: Callable[[int], ModuleT],
        settings: NetworkSettings,
        seed: int,
        threads: int,
        observe: Observer | None,
    ) -> None:
        self.make_module = make
        self._settings = settings
        self._seed = seed
        self._threads = threads
        self._observe = observe
        self.device = choose_device(settings)
        self._shape: Shape | None = None
        self._fitted: tuple[ModuleT, Scaler, list[int]] | None = None

    def fit(self, train: Windows, valid: Windows | None) -> FitRecord:
        """Seed, build the module, learn the scaler and train.

        The seed is set immediately before the module is built, so the first draws are its weights; the
        module is built on the CPU, so that they are the same on every device.
        """
        require_finite(train)
        self._shape = Shape.of(train)
        channels = select_channels(train.channel_names, self._settings.channels)
        scaler = self._fit_scaler(train)
        prepare(self.device, self._threads)
        torch.manual_seed(self._seed)
        module = self.make_module(len(channels)).to(self.device)
        self._fitted = (module, scaler, channels)
        watched = self._batches(valid) if valid is not None else None
        learned = self._batches(train)
        notes = {"channels": len(channels)} | compile_network(module, learned, self._settings)
        with tiny_numbers_as_zero():
            history = train_network(module, learned, watched, self._settings, self._seed, self._observe)
        return FitRecord(history=tuple(history), notes=notes | about_training(history, learned))

    def predict(self, windows: Windows) -> NDArray[np.float64]:
        """Return (n, H) forecasts in the panel's unit.

        Raises
        ------
        Diverged
            If a forecast is not finite.
        """
        require_finite(windows)
        if self._shape is not None:
            self._shape.require(windows)
        batches = self._batches(windows)
        forecasts = batches.to_units(forecast(self.module, batches, self._settings))
        bad = int((~np.isfinite(forecasts)).sum())
        if bad:
            raise Diverged(f"{bad} of {forecasts.size} forecasts are not finite: training diverged.")
        return forecasts

    def n_parameters(self) -> int:
        """Return the number of trained weights; fixed position tables are not among them."""
        return sum(parameter.numel() for parameter in self.module.parameters())

    @property
    def module(self) -> ModuleT:
        """The network; there once `fit` was called."""
        return self._parts()[0]

    def _fit_scaler(self, train: Windows) -> Scaler:
        """Learn what scales inputs and target; a design may want both on one scale."""
        return Scaler.fit(train, self._settings.scaling, self._settings.target)

    def _batches(self, windows: Windows) -> Batches:
        _, scaler, channels = self._parts()
        return Batches(windows, scaler, channels, self.device)

    def _parts(self) -> tuple[ModuleT, Scaler, list[int]]:
        if self._fitted is None:
            raise RuntimeError("the network is built by fit(), which was not called")
        return self._fitted
