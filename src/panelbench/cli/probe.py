"""The command `probe`: run one, or write the page of all."""

from __future__ import annotations

from pathlib import Path

import typer

from panelbench.errors import InputError


def run(name: str | None, page: bool, root: Path) -> None:
    """Do what the options ask for.

    Raises
    ------
    InputError
        If neither or both are asked for.
    """
    if (name is None) != page:
        from panelbench.probes.settings import PROBES

        raise InputError(f"name one probe ({', '.join(PROBES)}), or write --page for the page of all.")
    if name is None:
        from panelbench.probes.page.page import render

        typer.echo(f"Written to {render(root).path.relative_to(root.resolve())}.")
        return
    from panelbench.probes.run import run as run_probe

    def tell(done: int, total: int) -> None:
        if done == total or done * 10 // total > (done - 1) * 10 // total:
            typer.echo(f"{name}: {done} of {total}")

    typer.echo(f"{name}: {run_probe(name, root, tell)}")
