"""How many seeds one GPU has room for, asked without importing torch."""

from __future__ import annotations

import os
import shutil
import subprocess

PER_SEED_MIB = 2048
"""Memory that a seed's process is taken to need: CUDA's own context, the panel, a batch's activations.

A guess on the safe side for the networks here; a larger one says so by `execution.workers`.
"""


def room_for_seeds() -> int | None:
    """Return how many processes the first visible GPU has free memory for; None without an NVIDIA GPU.

    Small networks leave most of a GPU idle, so seeds share one, each in a process of its own.
    """
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    command = [program, "--query-gpu=memory.free", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)  # noqa: S603 - fixed
        free = [int(line) for line in done.stdout.split()]
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").partition(",")[0]
    if not free or not first:  # no GPU, or none that may be seen
        return None
    place = int(first) if first.isdigit() and int(first) < len(free) else 0
    return max(1, free[place] // PER_SEED_MIB)
