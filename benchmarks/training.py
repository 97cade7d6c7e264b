"""The same training by the plain loop and by `panelbench train`, side by side.

    python -m benchmarks.training                      # the whole grid: five networks, six seeds, all epochs
    python -m benchmarks.training --epochs 3 --seeds 0 1 --models rnn cnn

trains the networks of a settings file (params.yaml) first with the loop of `benchmarks.reference`, one seed
after the other in one process, then with `panelbench train --all`, seeds in parallel, on the same windows. It
prints wall time, processor time and peak memory of both, their ratio, and how far the results lie apart.
Imports count on both sides. The panel is fetched and prepared first and not timed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
import yaml

from benchmarks.measure import Usage, heading, number, python, run, save, table

ROOT = Path(__file__).parents[1]
MODELS = ("rnn", "lstm", "cnn", "transformer", "transformer_no_positions")
SAME = ("rnn", "lstm")
"""Experiments whose every seed must give the reference's result: no dropout, the same sums."""
TOLERANCE = 1e-4


def project(
    settings: Path,
    models: list[str],
    seeds: list[int],
    epochs: int | None,
    folder: Path,
    defaults: Mapping[str, Any] = MappingProxyType({"device": "cpu"}),
    workers: int | str = "auto",
) -> None:
    """Write a params.yaml with the chosen networks into a folder and prepare its panel there."""
    content = yaml.safe_load(settings.read_text("utf-8"))
    content |= {"seeds": seeds, "ablations": {}, "claims": [], "robustness": {}}
    content["experiments"] = {name: content["experiments"][name] for name in models}
    content["quick"] = {"epochs": epochs, "seeds": None}
    content["defaults"] = {**content["defaults"], **defaults}
    content["execution"] = {**content["execution"], "workers": workers}
    (folder / "params.yaml").write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    raw = ROOT / "data/raw"
    if raw.is_dir():  # already fetched: spare the network
        shutil.copytree(raw, folder / "data/raw")
    for stage in ("validate", "fetch", "prepare"):
        run(python("-m", "panelbench.cli.main", stage), folder)


def plain(
    folder: Path, models: list[str], seeds: list[int], device: str = "cpu"
) -> tuple[Usage, dict[str, dict[int, float]]]:
    """Train everything with the plain loop in one process; return what it took and every test RMSE."""
    asked = ["--root", str(folder), "--models", *models, "--seeds", *map(str, seeds), "--device", device]
    usage = run(python("-m", "benchmarks.reference", *asked), ROOT)
    found: dict[str, dict[int, float]] = {}
    for line in usage.output.splitlines():
        one = json.loads(line)
        found.setdefault(one["experiment"], {})[one["seed"]] = one["rmse"]
    return usage, found


def ours(folder: Path, model: str) -> tuple[Usage, dict[int, float]]:
    """Train one experiment with `panelbench train`; return what it took and every seed's test RMSE."""
    usage = run(python("-m", "panelbench.cli.main", "train", model), folder)
    runs = folder / "data/runs" / model
    records = json.loads((runs / "runs.json").read_text("utf-8"))["runs"]
    failed = [f"seed {one['seed']}: {one['error']}\n{one['traceback']}" for one in records if one["error"]]
    if failed:
        raise SystemExit(f"{model} failed: " + "\n".join(failed))
    frame = pd.read_parquet(runs / "predictions.parquet")
    squared = (frame["y_hat"] - frame["y"]) ** 2
    means = squared.groupby(frame["seed"]).mean()
    return usage, {int(seed): float(mean**0.5) for seed, mean in means.items()}


def agreement(model: str, plain: dict[int, float], ours: dict[int, float]) -> tuple[str, bool]:
    """Return in words how far the results lie apart, and whether that is near enough.

    The same sums in another order for RNN and LSTM: every seed to `TOLERANCE` of itself. A Transformer's
    dropout masks are drawn otherwise, so its seeds are compared as two samples: the means differ by no more
    than three standard errors.
    """
    apart = max(abs(ours[seed] / plain[seed] - 1) for seed in plain)
    if model in SAME:
        return f"{apart:.1e} a seed", apart <= TOLERANCE
    one, two = list(plain.values()), list(ours.values())
    means = f"mean {statistics.fmean(one):,.1f} and {statistics.fmean(two):,.1f}"
    if len(one) < 2:
        return means, True
    error = ((statistics.variance(one) + statistics.variance(two)) / len(one)) ** 0.5
    return means + f", s.e. {error:,.1f}", abs(statistics.fmean(one) - statistics.fmean(two)) <= 3 * error


def grid(about: str) -> argparse.Namespace:
    """Return what the command line asks for: settings, models, seeds, epochs, json."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--settings", type=Path, default=ROOT / "params.yaml", help="complete settings")
    parser.add_argument("--models", nargs="+", default=list(MODELS), help="experiments in it")
    parser.add_argument("--seeds", nargs="+", type=int, default=list(range(6)))
    parser.add_argument("--epochs", type=int, help="at most so many")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    return parser.parse_args()


def main() -> None:
    """Measure both, print the tables, end with an error where results disagree."""
    options = grid(__doc__)
    heading(f"Training {len(options.models)} networks x {len(options.seeds)} seeds both ways")
    with tempfile.TemporaryDirectory() as name:
        rows, result = measure(Path(name), options)
    plain_took, ours_took = result["plain"], result["panelbench"]
    print(table(("", "seconds", "CPU seconds", "MiB"), [
        *((side, number(took["wall"]), number(took["cpu"]), number(took["peak_mib"], 0))
          for side, took in (("plain loop", plain_took), ("panelbench train --all", ours_took))),
        ("ratio", *(number(plain_took[key] / ours_took[key], 2) for key in ("wall", "cpu")), ""),
    ]))  # fmt: skip
    print()
    print(table(("a seed's seconds, mean", "plain loop", "panelbench", "results apart"), rows))
    save(options.json, "training", result)
    if not result["agree"]:
        raise SystemExit("Results lie further apart than they may.")


def measure(folder: Path, options: argparse.Namespace) -> tuple[list[tuple[str, ...]], dict[str, Any]]:
    """Train the grid both ways; return one row a model, and everything for JSON."""
    project(options.settings, options.models, options.seeds, options.epochs, folder)
    before, first = plain(folder, options.models, options.seeds)
    after = run(python("-m", "panelbench.cli.main", "train", "--all"), folder)
    rows, runs, agree = [], {}, True
    for model in options.models:
        _, second = ours(folder, model)  # collects what the store has
        apart, near = agreement(model, first[model], second)
        agree = agree and near
        seconds = (
            statistics.fmean(_seconds(before.output, model)),
            statistics.fmean(_own_seconds(folder, model)),
        )
        rows.append((model, *(number(one, 2) for one in seconds), apart))
        runs[model] = {"seconds": dict(zip(("plain", "panelbench"), seconds, strict=True)),
                       "plain_rmse": first[model], "panelbench_rmse": second, "near": near}  # fmt: skip
    return rows, {"models": runs, "plain": _figures(before), "panelbench": _figures(after), "agree": agree,
                  "ratio": before.wall / after.wall}  # fmt: skip


def _seconds(output: str, model: str) -> list[float]:
    """Return the seconds of each seed of one model that the plain loop printed."""
    runs = map(json.loads, output.splitlines())
    return [run["seconds"] for run in runs if run["experiment"] == model]


def _own_seconds(folder: Path, model: str) -> list[float]:
    """Return the seconds of each seed of one model, as recorded while others trained beside it."""
    runs = json.loads((folder / "data/runs" / model / "runs.json").read_text("utf-8"))["runs"]
    return [run["seconds_fit"] + run["seconds_predict"] for run in runs]


def _figures(usage: Usage) -> dict[str, float | None]:
    return {"wall": usage.wall, "cpu": usage.cpu, "peak_mib": usage.peak_mib}


if __name__ == "__main__":
    main()
