"""The same training by the plain loop and by `panelbench train`, side by side.

    python -m benchmarks.training                      # the whole grid: five networks, six seeds, all epochs
    python -m benchmarks.training --epochs 3 --seeds 0 1 --models rnn cnn

trains the networks of a settings file (params.yaml) first with the loop of `benchmarks.reference`, one seed
after the other, then with `panelbench train`, seeds in parallel, on the same windows, and prints wall time,
processor time and peak memory of both, their ratio, and how far the results lie apart. Imports count on both
sides, once a model. The panel is fetched and prepared first and not timed.
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
    """Measure both, print the table, end with an error where results disagree."""
    options = grid(__doc__)
    heading(f"Training {len(options.models)} networks x {len(options.seeds)} seeds both ways")
    with tempfile.TemporaryDirectory() as name:
        rows, result = measure(Path(name), options)
    header = ("", "plain: s", "CPU s", "MiB", "panelbench: s", "CPU s", "MiB", "ratio", "results apart")
    print(table(header, rows))
    save(options.json, "training", result)
    if not result["agree"]:
        raise SystemExit("Results lie further apart than they may.")


def measure(folder: Path, options: argparse.Namespace) -> tuple[list[tuple[str, ...]], dict[str, Any]]:
    """Train both ways, model by model in turn, so that other load on the machine meets both alike."""
    project(options.settings, options.models, options.seeds, options.epochs, folder)
    rows, runs, agree = [], {}, True
    for model in options.models:
        before, first = plain(folder, [model], options.seeds)
        after, second = ours(folder, model)
        apart, near = agreement(model, first[model], second)
        agree = agree and near
        rows.append((model, *_cells(before, after), apart))
        runs[model] = {"plain": _figures(before), "panelbench": _figures(after), "plain_rmse": first[model],
                       "panelbench_rmse": second, "near": near}  # fmt: skip
    totals = {side: {key: sum(one[side][key] for one in runs.values()) for key in ("wall", "cpu")}
              for side in ("plain", "panelbench")}  # fmt: skip
    both = [Usage(one["wall"], one["cpu"], None, "") for one in totals.values()]
    rows.append(("all", *_cells(*both), ""))
    return rows, {"models": runs, "totals": totals, "agree": agree,
                  "ratio": totals["plain"]["wall"] / totals["panelbench"]["wall"]}  # fmt: skip


def _cells(before: Usage, after: Usage) -> tuple[str, ...]:
    sides = [(number(one.wall), number(one.cpu), number(one.peak_mib, 0)) for one in (before, after)]
    return (*sides[0], *sides[1], number(before.wall / after.wall, 2))


def _figures(usage: Usage) -> dict[str, float | None]:
    return {"wall": usage.wall, "cpu": usage.cpu, "peak_mib": usage.peak_mib}


if __name__ == "__main__":
    main()
