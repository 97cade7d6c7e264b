"""How time and memory grow with the number of series.

    python -m benchmarks.scaling                       # 30, 300, 3,000 and 30,490 series x 277 weeks
    python -m benchmarks.scaling --series 30 300 3000 --stages prepare lasso

makes a synthetic panel of each size (30,490 is M5 at item level) and runs prepare, audit, LASSO, XGBoost,
one epoch of an RNN, compare and report on it, each in a process of its own, and prints seconds of processor
time and peak memory. The last lines hold the cost a row of the largest panel against that of 300 series: of
the whole command, and of the fit alone, which has no start-up in it. A cost that grows with the rows and no
faster stays below 1.5.

The cost of attention against the length of the window: `python -m benchmarks.lengths`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import heading, number, python, run, save, table

ROOT = Path(__file__).parents[1]
SERIES = (30, 300, 3_000, 30_490)
WEEKS = 277
FEW = 300
"""Series of the panel whose cost a row the largest one's is held against."""
EXPERIMENTS = {"lasso": "lasso", "xgboost": "xgboost", "rnn epoch": "rnn"}
STAGES = ("prepare", "audit", *EXPERIMENTS, "compare", "report")
SETTINGS = """\
panel: {{source: synthetic, series: {series}, steps: {weeks}}}
split: {{test_steps: 26, validation_steps: 13}}
seeds: [0]
defaults: {{epochs: 1, device: cpu}}
experiments:
  lasso: {{model: lasso}}
  xgboost: {{model: xgboost}}
  rnn: {{model: rnn, hidden: 64}}
ablations: {{}}
execution: {{workers: 1, threads: {threads}}}
quick: {{}}
compare: {{}}
report: {{renderer: builtin}}
claims: []
robustness: {{}}
"""


def measure(series: int, stages: tuple[str, ...], threads: int, folder: Path) -> dict[str, dict[str, float]]:
    """Run the stages on one panel; return seconds and peak memory of each."""
    (folder / "reports").mkdir()
    for name in ("benchmark.qmd", "theme.css"):
        shutil.copy(ROOT / "reports" / name, folder / "reports" / name)
    text = SETTINGS.format(series=series, weeks=WEEKS, threads=threads)
    (folder / "params.yaml").write_text(text, "utf-8")
    run(python("-m", "panelbench.cli.main", "fetch"), folder)
    found = {}
    for stage in STAGES:
        if stage not in stages:
            continue
        command = ["train", EXPERIMENTS[stage]] if stage in EXPERIMENTS else [stage]
        usage = run(python("-m", "panelbench.cli.main", *command), folder)
        found[stage] = {"wall": usage.wall, "cpu": usage.cpu, "peak_mib": usage.peak_mib or 0.0}
        if stage in EXPERIMENTS:
            found[stage] |= _fit(folder / "data/runs" / EXPERIMENTS[stage] / "runs.json")
        print(f"  {series:,} series, {stage}: {_cell(found[stage])}", flush=True)
    return found


def _fit(path: Path) -> dict[str, float]:
    """Return the seconds of the fit alone; an error where the run failed."""
    record = json.loads(path.read_text("utf-8"))["runs"][0]
    if record["status"] != "ok":
        raise SystemExit(f"{path}: {record['error']}\n{record['traceback']}")
    return {"fit": record["seconds_fit"]}


def cost_ratio(found: dict[int, dict[str, dict[str, float]]], stage: str, what: str) -> float | None:
    """Return the largest panel's seconds a row over those at 300 series; None if not measured.

    Parameters
    ----------
    what
        "cpu", processor time of the whole command, or "fit", the seconds of the fit alone.
    """
    large = max(found)
    if FEW not in found or large <= FEW or what not in found[large][stage]:
        return None
    few, many = (found[n][stage][what] / n for n in (FEW, large))
    return many / few


def main() -> None:
    """Measure every size and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", nargs="+", type=int, default=list(SERIES))
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--threads", type=int, default=1, help="execution.threads")
    parser.add_argument("--folder", type=Path, help="where the panels are made; a temporary folder otherwise")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    heading(f"Synthetic panels of {WEEKS} weeks, {options.threads} thread(s)")
    found = {}
    for series in sorted(options.series):
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            found[series] = measure(series, tuple(options.stages), options.threads, Path(name))
    print("\n" + summary(found, options.stages))
    save(options.json, "scaling", {"weeks": WEEKS, "series": found})


def summary(found: dict[int, dict[str, dict[str, float]]], stages: list[str]) -> str:
    """Return seconds and MiB by size and stage, and how the cost a row grows."""
    rows = [[f"{series:,}", *(_cell(one[stage]) for stage in stages)] for series, one in found.items()]
    for title, what in (("cost a row / that at 300", "cpu"), ("the same, the fit alone", "fit")):
        ratios: list[Any] = [cost_ratio(found, stage, what) for stage in stages]
        rows.append([title, *(number(ratio, 2) for ratio in ratios)])
    return table(["series", *stages], rows)


def _cell(took: dict[str, float]) -> str:
    return f"{took['cpu']:,.1f} s, {took['peak_mib']:,.0f} MiB"


if __name__ == "__main__":
    main()
