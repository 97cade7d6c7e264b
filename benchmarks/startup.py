"""How long a user waits before anything happens: start-up, a run with nothing to do, the report.

    python -m benchmarks.startup

prints the median of several runs of `panelbench --help` and `panelbench validate`, of `dvc repro` with
nothing changed in a clone of this repository with 15 and with 100 experiments (last-value experiments on
made-up data: what they compute does not matter here), and of the report on this folder's own results, if it
has any.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import heading, number, run, save, table

ROOT = Path(__file__).parents[1]
SETTINGS = """\
panel: {source: synthetic, series: 4, steps: 120}
split: {test_steps: 13, validation_steps: 6}
seeds: [0]
defaults: {}
ablations: {}
execution: {workers: 1, threads: 1}
quick: {}
compare: {resamples: 200}
report: {renderer: builtin}
claims: []
robustness: {}
experiments:
"""


def median(command: list[str], folder: Path, times: int) -> float:
    """Return the median wall seconds of several runs, one to warm the file cache aside."""
    run(command, folder)
    return statistics.median(run(command, folder).wall for _ in range(times))


def idle_repro(experiments: int, times: int, folder: Path) -> float:
    """Return the seconds of `dvc repro` with nothing to do in a clone with so many experiments."""
    clone = folder / f"clone_{experiments}"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    lines = [f"  last_value_{number}: {{model: last_value}}\n" for number in range(experiments)]
    (clone / "params.yaml").write_text(SETTINGS + "".join(lines), "utf-8")
    run(["dvc", "repro", "-q"], clone)
    return median(["dvc", "repro", "-q"], clone, times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5, help="runs whose median is taken")
    parser.add_argument(
        "--experiments", nargs="*", type=int, default=[15, 100], help="for the idle dvc repro"
    )
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    heading("Start-up and idle runs, median seconds")
    found: dict[str, float | None] = {}
    for arguments in (["--help"], ["--version"], ["validate"]):
        found[f"panelbench {arguments[0]}"] = median(["panelbench", *arguments], ROOT, options.times)
    with tempfile.TemporaryDirectory() as name:
        for count in options.experiments:
            label = f"dvc repro, nothing changed, {count} experiments"
            found[label] = idle_repro(count, options.times, Path(name))
    report = ROOT / "reports/comparison.json"
    found["panelbench report"] = median(["panelbench", "report"], ROOT, 1) if report.is_file() else None
    rows: list[list[Any]] = [[what, number(seconds, 2)] for what, seconds in found.items()]
    print(table(["", "seconds"], rows))
    save(options.json, "startup", {"seconds": found})


if __name__ == "__main__":
    main()
