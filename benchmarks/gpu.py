"""Training on a GPU: the plain loop there, and panelbench with seeds side by side, in bfloat16, compiled.

    python -m benchmarks.gpu --epochs 5

says so and ends where torch finds no GPU. Otherwise it trains the networks of params.yaml on the GPU with
the loop of `benchmarks.reference`, then with `panelbench train`, one seed at a time and several, prints wall
seconds and their ratio to the plain loop's, and holds the float32 results of RNN and LSTM against the CPU's:
sums come in another order there, so they may differ by `TOLERANCE` of themselves.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from benchmarks.measure import heading, number, save, table
from benchmarks.training import SAME, grid, ours, plain, project

TOLERANCE = 1e-3
WAYS: Mapping[str, tuple[Mapping[str, Any], int | str]] = {
    "one seed at a time": ({"device": "cuda"}, 1),
    "two seeds": ({"device": "cuda"}, 2),
    "workers: auto": ({"device": "cuda"}, "auto"),
    "workers: auto, bf16": ({"device": "cuda", "precision": "bf16"}, "auto"),
    "workers: auto, compiled": ({"device": "cuda", "compile": True}, "auto"),
    "on the CPU": ({"device": "cpu"}, "auto"),
}


def main() -> None:
    """Measure and print; end with an error where the GPU's results are not the CPU's."""
    options = grid(__doc__)
    if not torch.cuda.is_available():
        print(f"Nothing is measured: torch {torch.__version__} finds no CUDA device on this machine.")
        return
    heading(f"Training on {torch.cuda.get_device_name()}: wall seconds, {len(options.seeds)} seeds each")
    seconds, results = measure(options)
    ratios = {name: seconds["plain loop"][name] for name in options.models}
    rows = [
        [way, *(f"{number(one[m])} ({number(ratios[m] / one[m], 1)}x)" for m in options.models)]
        for way, one in seconds.items()
    ]
    print(table(["", *options.models], rows))
    apart = {
        model: max(
            abs(results["workers: auto"][model][s] / results["on the CPU"][model][s] - 1)
            for s in options.seeds
        )
        for model in options.models
        if model in SAME
    }
    for model, value in apart.items():
        print(f"{model}: GPU and CPU differ by {value:.1e} of the RMSE at most")
    save(options.json, "gpu", {"seconds": seconds, "rmse": results, "apart": apart})
    if any(value > TOLERANCE for value in apart.values()):
        raise SystemExit(f"GPU and CPU differ by more than {TOLERANCE:g}.")


def measure(options: argparse.Namespace) -> tuple[dict[str, dict[str, float]], dict[str, Any]]:
    """Train in every way; return seconds and test RMSE by way and model."""
    seconds: dict[str, dict[str, float]] = {"plain loop": {}}
    results: dict[str, Any] = {"plain loop": {}}
    with tempfile.TemporaryDirectory() as name:
        for way, (defaults, workers) in WAYS.items():
            folder = Path(name) / "project"
            folder.mkdir()
            project(
                options.settings, options.models, options.seeds, options.epochs, folder, defaults, workers
            )
            for model in options.models if not results["plain loop"] else ():
                usage, found = plain(folder, [model], options.seeds, "cuda")
                seconds["plain loop"][model] = usage.wall
                results["plain loop"] |= found
            seconds[way], results[way] = {}, {}
            for model in options.models:
                usage, results[way][model] = ours(folder, model)
                seconds[way][model] = usage.wall
            shutil.rmtree(folder)
    return seconds, results


if __name__ == "__main__":
    main()
