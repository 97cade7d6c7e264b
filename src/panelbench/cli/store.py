"""Say what the store of finished seeds holds, and remove what nobody asks for."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from panelbench.config import Settings
from panelbench.train.run import open_store, used_keys
from panelbench.train.store import STORE


def describe(settings: Settings, root: Path, prune: bool) -> str:
    """Return how many finished seeds there are, their size, and how many of them the settings use.

    Parameters
    ----------
    prune
        Remove those that the present params.yaml, panel and code would not look for.

    Raises
    ------
    InputError
        If there is no panel: without it nobody knows what would be looked for.
    """
    store = open_store(settings, root, Console(stderr=True))
    used = used_keys(settings, root)
    sizes = store.sizes()
    unused = [size for key, size in sizes.items() if key not in used]
    text = (
        f"{STORE} holds {len(sizes)} finished seeds, {_megabytes(sum(sizes.values()))}; {len(unused)} of "
        f"them, {_megabytes(sum(unused))}, are not used by the present settings, panel and code"
    )
    if prune:
        store.prune(used)
        return f"{text}, and were removed."
    return text + ("; --prune removes those." if unused else ".")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
