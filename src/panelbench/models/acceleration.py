"""Two ways to train faster at the price of the last digits: bfloat16 arithmetic and compiled code.

Both are settings of an experiment, off by default, and part of what identifies a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch import nn

from panelbench.models.base import Note
from panelbench.models.batches import Batches
from panelbench.models.network_settings import NetworkSettings

BACKEND = "inductor"
"""What turns a traced network into code; needs a C++ compiler on a CPU, Triton on a GPU."""
LONGEST = 300
"""Characters of a compiler's complaint that are kept."""


def arithmetic(settings: NetworkSettings, device: torch.device) -> AbstractContextManager[Any]:
    """Return the context in which the network computes: bfloat16 where asked for.

    Weights, their gradients, the loss and Adam's state stay float32; matrix products and convolutions take
    bfloat16 copies (8 bits of mantissa), which is what PyTorch's autocast chooses.
    """
    if settings.precision == "float32":
        return nullcontext()
    if device.type == "cpu" and not _onednn_has_bfloat16():
        return _bfloat16_without_onednn()
    return torch.autocast(device.type, torch.bfloat16)


def _onednn_has_bfloat16() -> bool:
    """Return whether oneDNN computes in bfloat16 on this processor (on x86 it needs AVX-512)."""
    onednn: Any = torch.backends.mkldnn
    return bool(onednn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported())


@contextmanager
def _bfloat16_without_onednn() -> Iterator[None]:
    """Compute by torch's own kernels: an LSTM would ask oneDNN all the same, and end in its error."""
    onednn: Any = torch.backends.mkldnn
    before = onednn.enabled
    onednn.enabled = False
    try:
        with torch.autocast("cpu", torch.bfloat16):
            yield
    finally:
        onednn.enabled = before


def as_written(settings: NetworkSettings) -> AbstractContextManager[Any]:
    """Return the context in which modules run without compiled code, as they do for forecasts.

    Compiling those passes too, in chunks of another size and without dropout, costs more than it saves.
    """
    return torch.compiler.set_stance("force_eager") if settings.compile else nullcontext()


def compile_network(module: nn.Module, block: Batches, settings: NetworkSettings) -> dict[str, Note]:
    """Compile the module's forward pass in place, trying it on the first batch; leave it alone if that fails.

    Code is made once for every batch size. Random numbers are drawn as without it, and the generators stand
    afterwards where they stood before. A network that is shown its targets while it learns trains by another
    method than `forward`, and is not compiled.

    Returns
    -------
    dict
        Notes: `compiled`, whether it worked, and `compile_problem`, why it did not.
    """
    if not settings.compile:
        return {}
    if hasattr(module, "supervised"):
        return {"compiled": False, "compile_problem": "this design learns by another method than forward()"}
    import torch._inductor.config as inductor

    inductor.fallback_random = True
    inductor.compile_threads = torch.get_num_threads()
    try:
        with torch.random.fork_rng(devices=_cuda_devices(block.device)):
            module.train()
            module.compile(backend=BACKEND, dynamic=True)
            with arithmetic(settings, block.device):
                forecasts = module(block.inputs(slice(0, settings.batch_size)))
            forecasts.float().square().mean().backward()
    except Exception as error:  # noqa: BLE001 - whatever the compiler says, the network trains without it
        module._compiled_call_impl = None
        said = " ".join(str(error).split())[:LONGEST]
        return {"compiled": False, "compile_problem": f"{type(error).__name__}: {said}"}
    finally:
        module.zero_grad()
    return {"compiled": True}


def _cuda_devices(device: torch.device) -> list[int]:
    if device.type != "cuda":
        return []
    return [torch.cuda.current_device() if device.index is None else device.index]
