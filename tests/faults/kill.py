"""The full form: `python -m tests.faults.kill --points 20` tries every fault and prints what was survived."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.faults import faults
from tests.faults.harness import Fault, Harness, Trial, Unavailable


def main() -> int:
    """Try the faults one after the other; end with 1 if one of them left a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=20, help="moments of training to stop it at")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--goal", nargs="*", default=["compare"], help="stages that runs go up to; none: all")
    parser.add_argument("--only", default="", help="faults whose name contains this")
    options = parser.parse_args()
    trials: list[Trial] = []
    skipped: list[str] = []
    with tempfile.TemporaryDirectory(prefix="panelbench-faults-") as folder:
        harness = Harness(Path(folder), *options.goal)
        longest = seconds_of_training(harness)
        print(f"An undisturbed training takes {longest:.1f} s here.", flush=True)
        before = [
            *faults.stopped_in_training(options.points, options.seed, longest),
            *faults.killed_in_stages(options.seed),
            *faults.ONCE,
        ]
        for finished, several in ((False, before), (True, faults.AFTERWARDS)):
            for fault in several:
                if options.only in fault.name:
                    attempt(harness, fault, finished, trials, skipped)
    survived = sum(trial.survived for trial in trials)
    print(f"\n{len(trials)} faults tried, {survived} survived, {len(skipped)} not possible here.")
    return int(survived < len(trials))


def attempt(
    harness: Harness, fault: Fault, finished: bool, trials: list[Trial], skipped: list[str]
) -> None:
    """Try one fault and print its line."""
    try:
        trial = harness.try_out(fault, finished)
    except Unavailable as error:
        skipped.append(fault.name)
        print(f"{'not possible':13} {fault.name}: {error}", flush=True)
        return
    except AssertionError as error:
        trial = Trial(fault.name, "", " ".join(str(error).split())[:300])
    trials.append(trial)
    how = "survived" if trial.survived else "NOT SURVIVED"
    print(f"{how:13} {fault.name}: {trial.wrong or trial.seen}", flush=True)


def seconds_of_training(harness: Harness) -> float:
    """Return how long the undisturbed training of all experiments takes through DVC."""
    project = harness.fresh()
    started = time.monotonic()
    project.repro(*faults.TRAINING)
    return time.monotonic() - started


if __name__ == "__main__":
    sys.exit(main())
