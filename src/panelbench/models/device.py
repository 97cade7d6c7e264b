"""Where a network runs, and what is set there before it is built."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from panelbench.errors import InputError
from panelbench.models.network_settings import NetworkSettings


def choose_device(settings: NetworkSettings) -> torch.device:
    """Return the device that the settings ask for; `auto` takes cuda, else mps, else cpu.

    Raises
    ------
    InputError
        If a device is asked for by name and this machine, or this build of torch, does not have it.
    """
    found = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    available = [name for name, there in found.items() if there]
    if settings.device == "auto":
        return torch.device(available[0])
    if settings.device not in available:
        raise InputError(
            f"params.yaml: device is '{settings.device}' for the experiment "
            f"'{settings.label or settings.model}', but torch {torch.__version__} finds only "
            f"{', '.join(available)} here. Use `device: auto`, or install a build of torch for that device."
        )
    return torch.device(settings.device)


TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Names of glibc's two settings (malloc.h)."""
KEPT, LARGE = 256 * 2**20, 32 * 2**20
"""Bytes of freed memory that a process keeps; size from which a block is given back to the system at once."""


@contextmanager
def tiny_numbers_as_zero() -> Iterator[None]:
    """Take numbers below float32's normal range as zero: they slow a CPU down and carry no information.

    The processor's mode is the whole thread's, so it is set back: the statistics that may follow in the
    same process compute with every number there is.
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def prepare(device: torch.device, threads: int) -> None:
    """Set threads and reproducible kernels; must come before a network is built."""
    torch.set_num_threads(threads)
    keep_freed_memory()
    if device.type == "cuda":
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS is reproducible only with it
    torch.backends.cudnn.allow_tf32 = False  # `precision: float32` means all its 23 bits, here 10 by default
    torch.use_deterministic_algorithms(True)
    # Nothing here reads memory before writing it, so it need not be filled first.
    deterministic: Any = torch.utils.deterministic
    deterministic.fill_uninitialized_memory = False


def keep_freed_memory() -> None:
    """Let the process keep the memory of freed tensors for the next ones.

    A step of a small Transformer frees and asks for some 50 blocks of about a megabyte. By default glibc
    gives such blocks back to the system, which clears them page by page when they come again. Elsewhere
    than with glibc this does nothing.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    mallopt(TRIM_THRESHOLD, KEPT)
    mallopt(MMAP_THRESHOLD, LARGE)
