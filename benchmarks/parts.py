"""Parts of a training step in the ways that were tried: what docs/performance.md says was kept or dropped.

    python -m benchmarks.parts

prints the fastest processor time of many repetitions, one thread: other work disturbs that least.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from benchmarks.measure import heading, number, save, table
from panelbench.config.settings import Settings
from panelbench.models import registry
from panelbench.models.device import prepare
from panelbench.models.transformer import single
from panelbench.models.transformer.dropout import Dropout
from panelbench.models.transformer.model import TransformerEncoder

WINDOWS, PERIODS, CHANNELS, HIDDEN = 128, 26, 6, 128


def fastest(run: Callable[[], object], times: int = 60) -> float:
    """Return the least processor time of a call, in ms."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        run()
        spent.append(time.process_time() - began)
    return 1000 * min(spent)


def masks() -> dict[str, float]:
    """Time dropout on the hidden units of a feed-forward part, and the pieces it could be made of."""
    x = torch.randn(WINDOWS, PERIODS, HIDDEN)
    draws = torch.empty(x.numel() // 4, dtype=torch.int64).random_(-(2**63), None)
    numbers = draws.view(torch.int16).view(x.shape)
    kept = numbers >= -26_000
    mask, dropout, sfc = kept.float(), Dropout(0.1), np.random.SFC64(0)
    return {
        "dropout, torch's": fastest(lambda: functional.dropout(x, 0.1)),
        "dropout, ours": fastest(lambda: dropout(x)),
        "mask: compare into floats": fastest(lambda: torch.ge(numbers, -26_000, out=mask)),
        "mask: compare, then convert": fastest(lambda: torch.ge(numbers, -26_000).float()),
        "draw: torch's generator": fastest(lambda: draws.random_(-(2**63), None)),
        "draw: numpy's SFC64": fastest(lambda: sfc.random_raw(len(draws))),
        "apply: times floats": fastest(lambda: x * mask),
        "apply: times booleans": fastest(lambda: x * kept),
        "apply: where": fastest(lambda: torch.where(kept, x, 0.0)),
        "apply: masked_fill": fastest(lambda: x.masked_fill(kept, 0.0)),
    }


def products() -> dict[str, float]:
    """Time the feed-forward part's first product by library and precision."""
    x, weight, bias = torch.randn(WINDOWS * PERIODS, 64), torch.randn(HIDDEN, 64), torch.randn(HIDDEN)
    rough = [part.bfloat16() for part in (x, weight, bias)]
    found = {"product: float32": fastest(lambda: functional.linear(x, weight, bias))}
    found["product: bfloat16"] = fastest(lambda: functional.linear(*rough))
    if torch.backends.mkldnn.is_available():
        ours = torch.ops.mkldnn._linear_pointwise
        found["product: float32, oneDNN"] = fastest(lambda: ours(x, weight, bias, "none", [], ""))
    return found


def step(positions: str = "sinusoidal") -> Callable[[], object]:
    """Return one training step of the default Transformer."""
    own = {"model": "transformer", "positions": positions, "lookback": PERIODS}
    settings = registry.resolve(Settings(panel={}, seeds=(0,), experiments={"it": own}))["it"]
    module = TransformerEncoder(settings, CHANNELS)
    adam = torch.optim.Adam(module.parameters(), fused=True)
    x, y = torch.randn(WINDOWS, PERIODS, CHANNELS), torch.randn(WINDOWS, 1)

    def run() -> None:
        adam.zero_grad()
        functional.mse_loss(module(x), y).backward()
        adam.step()

    return run


def steps() -> dict[str, float]:
    """Time a training step without and with what makes it faster; freed memory first, which stays kept."""
    found = {"step, freed memory given back": fastest(step())}
    prepare(torch.device("cpu"), 1)
    applies, run = single.applies, step()
    single.applies = lambda *_: False
    found["step, keys and values projected"] = fastest(run)
    single.applies = applies
    found["step"] = fastest(run)
    found["step, rotary"] = fastest(step("rotary"))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    torch.set_num_threads(1)
    heading(f"Parts of a Transformer's training step, {WINDOWS} windows of {PERIODS} periods: ms")
    found = {**steps(), **masks(), **products()}
    print(table(["", "ms"], [[what, number(ms, 2)] for what, ms in found.items()]))
    save(options.json, "parts", {"ms": found})


if __name__ == "__main__":
    main()
