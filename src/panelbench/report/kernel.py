"""A Jupyter kernel that is the running interpreter, whatever kernels the user has registered.

A kernel named `python3` in the user's own folder may belong to another environment and would be preferred
silently. So the renderers look for kernels in one private folder only, which holds this one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

NAME = "python3"


def write_kernel(folder: Path) -> Path:
    """Write the kernel's description below `folder`, to be used as an entry of JUPYTER_PATH.

    Returns
    -------
    The folder that holds kernels, `folder`/kernels.
    """
    spec = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "The interpreter that runs panelbench",
        "language": "python",
    }
    place = folder / "kernels" / NAME
    place.mkdir(parents=True, exist_ok=True)
    (place / "kernel.json").write_text(json.dumps(spec, indent=1), "utf-8")
    return folder / "kernels"


def interpreter(kernels: Path) -> str:
    """Return the interpreter that Jupyter would start for `NAME`, looking in `kernels` first."""
    from jupyter_client.kernelspec import KernelSpecManager

    manager = KernelSpecManager(kernel_dirs=[str(kernels)])
    return str(manager.get_kernel_spec(NAME).argv[0])
