"""The cost of a training step against the length of the window, 26 to 4,096 periods.

    python -m benchmarks.lengths
    python -m benchmarks.lengths --models transformer lstm --lengths 26 256 1024

prints milliseconds and MiB a window, each length in a process of its own, and by which power of the length
each grows between the two longest: 2 for attention, 1 for what walks along the window once.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import asdict
from pathlib import Path

from benchmarks.measure import heading, number, save, table
from panelbench.models.cost import LENGTHS, MODELS, Cost, measure


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--lengths", nargs="+", type=int, default=list(LENGTHS))
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    heading("A training step by length of the window, one thread: ms and MiB a window")
    found = measure(options.models, sorted(options.lengths))
    print(table(["periods", *options.models], rows(found, options.models, sorted(options.lengths))))
    save(options.json, "lengths", {"costs": [asdict(one) for one in found]})


def rows(found: list[Cost], models: list[str], lengths: list[int]) -> list[list[str]]:
    """Return a row a length, and the power by which the time grows between the two longest."""
    at = {(one.model, one.length): one for one in found}
    lines = [
        [
            f"{length:,}",
            *(f"{1000 * at[m, length].seconds:,.2f}; {number(at[m, length].mib, 2)}" for m in models),
        ]
        for length in lengths
    ]
    if len(lengths) > 1:
        short, long = lengths[-2:]
        powers = [math.log(at[m, long].seconds / at[m, short].seconds, long / short) for m in models]
        lines.append(["power of the length", *(number(power, 2) for power in powers)])
    return lines


if __name__ == "__main__":
    main()
