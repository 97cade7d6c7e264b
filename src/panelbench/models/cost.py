"""What a training step costs against the length of the window: seconds and memory, measured.

Attention compares every position with every other, so its scores number L^2; recurrent and convolutional
networks walk along the L positions once. `measure` starts a fresh process for each length, so that one
measurement's memory is not another's.

    python -m panelbench.models.cost transformer 512

prints one measurement as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from panelbench.errors import RunFailure

LENGTHS = (26, 64, 128, 256, 512, 1024, 2048, 4096)
MODELS = ("transformer", "lstm", "rnn", "cnn")
CHANNELS = 4
MOST_SCORES = 2**24
"""Attention scores of all windows and heads together: so many windows go through a step, 128 at most."""
STEPS = 3


@dataclass(frozen=True)
class Cost:
    """One training step of one model at one length, by window.

    Attributes
    ----------
    windows
        That went through a step together.
    seconds
        Of a step (forward, backward, Adam), over `windows`; the fastest of some.
    mib
        Memory that the process needed on top of the network's own, over `windows`.
    """

    model: str
    length: int
    windows: int
    seconds: float
    mib: float


def measure(models: Iterable[str] = MODELS, lengths: Iterable[int] = LENGTHS) -> list[Cost]:
    """Measure every model at every length, each in a process of its own with one thread.

    Raises
    ------
    RunFailure
        If a process fails, for instance for lack of memory.
    """
    found = []
    for model in models:
        for length in lengths:
            command = [sys.executable, "-m", "panelbench.models.cost", model, str(length)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed
            if done.returncode:
                said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
                raise RunFailure(f"The cost of {model} at {length} periods cannot be measured: {said}")
            found.append(Cost(**json.loads(done.stdout)))
    return found


def measure_here(model: str, length: int) -> Cost:
    """Measure one model at one length in this process."""
    import torch
    from torch.nn import functional

    from panelbench.config.settings import Settings
    from panelbench.models import registry
    from panelbench.models.device import prepare
    from panelbench.models.network import NetworkForecaster

    whole = Settings(panel={}, seeds=(0,), experiments={"it": {"model": model, "lookback": length}})
    forecaster = registry.build(registry.resolve(whole)["it"], 0)
    assert isinstance(forecaster, NetworkForecaster)  # noqa: S101 - MODELS are networks
    prepare(torch.device("cpu"), 1)
    module = forecaster.make_module(CHANNELS)
    heads = 4
    windows = max(1, min(128, MOST_SCORES // (heads * length**2)))
    inputs, targets = torch.randn(windows, length, CHANNELS), torch.randn(windows, 1)
    adam = torch.optim.Adam(module.parameters(), fused=True)
    before = _status("VmRSS")
    fastest = float("inf")
    for _ in range(STEPS):
        began = time.perf_counter()
        adam.zero_grad()
        functional.mse_loss(module(inputs), targets).backward()  # type: ignore[no-untyped-call]
        adam.step()
        fastest = min(fastest, time.perf_counter() - began)
    return Cost(model, length, windows, fastest / windows, (_status("VmHWM") - before) / windows)


def _status(name: str) -> float:
    """Return a figure of /proc/self/status in MiB; not a number where the system has no such file."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return float("nan")
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:")), float("nan"))


if __name__ == "__main__":
    print(json.dumps(asdict(measure_here(sys.argv[1], int(sys.argv[2])))))  # noqa: T201 - read by `measure`
