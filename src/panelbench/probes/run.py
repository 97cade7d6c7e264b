"""Run one probe by its name and write what it found."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from panelbench.probes import results
from panelbench.probes.pool import Tell
from panelbench.probes.settings import load


def run(name: str, root: Path = Path(), tell: Tell | None = None) -> Path:
    """Run a probe with the settings in probes/<name>.yaml; return the path of its result.

    Raises
    ------
    InputError
        If the settings are not allowed.
    RunFailure
        If a process ends without an answer.
    """
    settings = load(name, root / "probes")
    module: Any = import_module(f"panelbench.probes.{name}")
    rows = module.run(settings, tell)
    found = results.Result(
        probe=name, settings=settings.model_dump(mode="json"), machine=machine(), rows=tuple(rows)
    )
    return results.save(found, root / results.FOLDER)


def machine() -> dict[str, str]:
    """Return what figures in seconds depend on besides the code."""
    import platform

    from panelbench.train.place import processor_name
    from panelbench.train.provenance import available_cores, versions

    known = versions()
    return {
        "processor": processor_name(),
        "cores": str(available_cores()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": known["python"],
        "torch": known["torch"],
    }
