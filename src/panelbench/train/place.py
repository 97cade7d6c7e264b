"""What of a machine can change the last digits of a result: processor, mathematical library, device."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from pydantic import Field

from panelbench.config import Strict

STEERING = (
    "ATEN_CPU_CAPABILITY",
    "CUBLAS_WORKSPACE_CONFIG",
    "DNNL_MAX_CPU_ISA",
    "MKL_CBWR",
    "MKL_ENABLE_INSTRUCTIONS",
    "NPY_DISABLE_CPU_FEATURES",
    "NVIDIA_TF32_OVERRIDE",
    "ONEDNN_MAX_CPU_ISA",
    "OPENBLAS_CORETYPE",
    "TORCHDYNAMO_DISABLE",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TORCH_COMPILE_DISABLE",
)
"""Environment variables by which users choose another kernel of a numerical library."""
VECTOR = re.compile(r"(s?sse|avx|fma|f16c|bmi|amx|vaes|vpcl|asimd|sve|neon)")
"""Processor features that numerical libraries choose their kernels by."""


class Place(Strict):
    """Where a run computed; two places that differ may give different last digits.

    The kernel's version, the host's name and the number of cores are left out: with the number of threads
    fixed, they change seconds only.

    Attributes
    ----------
    system
        Operating system, architecture and C library, whose `exp` and `log` are the models'.
    processor
        Model and vector instructions.
    device
        "cpu", "cuda", "mps": where the model computed.
    accelerator
        The names of the machine's GPUs where the device is one.
    steering
        `STEERING` as far as it is set.
    """

    system: str
    processor: str
    device: str
    accelerator: str = ""
    steering: dict[str, str] = Field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Return 16 hex digits that stand for the place."""
        text = json.dumps(self.model_dump(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def this_place(device: str) -> Place:
    """Return this machine as the place of a run on one of its devices."""
    libc = " ".join(platform.libc_ver())
    return Place(
        system=f"{platform.system()} {platform.machine()} {libc}".strip(),
        processor=processor(),
        device=device,
        accelerator="" if device == "cpu" else accelerators(),
        steering={name: os.environ[name] for name in STEERING if name in os.environ},
    )


def device_here(wanted: str | None) -> str:
    """Return the device that a model would compute on here.

    torch, whose import takes a second, is asked only where the answer is in doubt.

    Parameters
    ----------
    wanted
        The setting `device`; None for a model that has none.
    """
    if wanted != "auto":
        return wanted or "cpu"
    if sys.platform == "linux" and (_torch_is_for_cpu() or not accelerators()):
        return "cpu"
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


@cache
def processor() -> str:
    """Return the processor's model and the vector instructions it offers, as one line."""
    facts = _cpuinfo()
    number = "/".join(facts[name] for name in ("cpu family", "model", "stepping") if name in facts)
    features = (facts.get("flags") or facts.get("features") or "").split()
    vector = sorted({feature for feature in features if VECTOR.match(feature)})
    return " ".join(part for part in (processor_name(), number, *vector) if part)


@cache
def processor_name() -> str:
    """Return the processor's model alone, as its maker calls it."""
    facts = _cpuinfo()
    named = facts.get("model name") or facts.get("cpu part")
    return named or (not facts and platform.processor()) or platform.machine()


@cache
def _cpuinfo() -> dict[str, str]:
    """Return what Linux states of the first core; nothing elsewhere."""
    try:
        first = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").split("\n\n")[0]
    except OSError:
        return {}
    return {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in first.splitlines())
    }


@cache
def accelerators() -> str:
    """Return the names of the NVIDIA GPUs that the driver shows, in order; empty where there is none."""
    names = []
    for facts in sorted(Path("/proc/driver/nvidia/gpus").glob("*/information")):
        try:
            found = re.search(r"^Model:\s*(.+)$", facts.read_text("utf-8", errors="replace"), re.MULTILINE)
        except OSError:
            continue
        names.append(found.group(1).strip() if found else "unknown")
    if not names and Path("/dev/nvidiactl").exists():  # a container that hides the driver's files
        names.append("NVIDIA")
    return ", ".join(names)


def _torch_is_for_cpu() -> bool:
    try:
        return metadata.version("torch").endswith("+cpu")
    except metadata.PackageNotFoundError:
        return True
