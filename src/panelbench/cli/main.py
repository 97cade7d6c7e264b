"""The `panelbench` command: one thin command a pipeline stage.

Every command works in the current folder, the repository's root, and imports what it needs only when it
runs, so `panelbench --help` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sized
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panelbench.cli.failures import ReportingGroup

if TYPE_CHECKING:
    from panelbench.config import Settings

RAW = Path("data/raw")
VALIDATED = Path("data/validated.txt")
AUDITED = Path("data/audited.txt")

app = typer.Typer(
    cls=ReportingGroup,
    help="Honest benchmarks of forecasting models on retail panels. `dvc repro` runs the stages in order.",
    epilog="Settings are read from ./params.yaml. Exit codes: 0 done, 1 failed, 2 bad input.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from panelbench import __version__

        typer.echo(f"panelbench {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[
        bool, typer.Option("--debug", envvar="PANELBENCH_DEBUG", help="Show the traceback of an error.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version.")
    ] = False,
) -> None:
    """Take the options that every command has; `ReportingGroup` reads `debug`."""


@app.command()
def validate() -> None:
    """Check the whole of params.yaml, before anything runs."""
    from panelbench.cli.declared import DECLARED, write_declared
    from panelbench.cli.dvc_lock import remove_broken_locks
    from panelbench.cli.stale import remove_stale_runs
    from panelbench.cli.watch import watch
    from panelbench.files import write_text
    from panelbench.models import registry as models
    from panelbench.panel import registry as panels

    if remove_broken_locks(Path()):
        typer.echo("A killed DVC had left half of its list of locks (.dvc/tmp/rwlock); it is removed.")
    settings = _settings()
    panel = panels.resolve(settings.panel)
    experiments = models.resolve(settings)
    if settings.claims:
        from panelbench.compare.claims.ledger import load_ledger

        load_ledger(settings.claims)
    watch(getattr(panel, "path", None), Path())
    stale = remove_stale_runs(experiments, Path())
    write_declared(settings, experiments, DECLARED)
    write_text(VALIDATED, "params.yaml is valid\n")
    typer.echo(f"params.yaml is valid: panel {panel.source}, {_count(experiments, 'experiment')}.")
    if stale:
        typer.echo(f"Not declared any more, kept in DVC's cache only: {', '.join(stale)}.")


@app.command()
def fetch() -> None:
    """Bring the source's raw files to data/raw/ and verify them."""
    from panelbench.panel.fetch import fetch as run_fetch

    panel = _settings().panel
    run_fetch(panel, RAW)
    typer.echo(f"{RAW} holds the files of the panel {panel['source']}, verified.")


@app.command()
def prepare() -> None:
    """Turn the raw files into one checked panel."""
    from panelbench.panel.prepare import prepare as run_prepare

    info = run_prepare(_settings().panel, RAW, Path("data/panel.parquet"), Path("data/panel.json"))
    size = f"{info.n_series:,} series x {info.n_steps:,} periods"
    typer.echo(f"{info.title}: {size}, {info.start} to {info.end}.")


@app.command()
def audit() -> None:
    """Look for leaks from the future; an error if there is one."""
    from panelbench.audit import audit as run_audit
    from panelbench.files import write_text

    settings = _settings()
    typer.echo("Disturbing the future and refitting; on a large panel this takes a minute or more.")
    checks = run_audit(settings, Path())
    write_text(AUDITED, "the leak audit passed\n")
    typer.echo(f"The leak audit passed: {_count(checks, 'check')}.")


@app.command()
def train(
    experiment: Annotated[
        str | None, typer.Argument(help="A name under experiments in params.yaml.", show_default=False)
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Train what is new of every experiment; `dvc repro` then collects.")
    ] = False,
) -> None:
    """Train one experiment with every seed; store its forecasts."""
    from panelbench.cli.train import train as run_train

    run_train(experiment, every, _settings(), Path())


@app.command()
def store(
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove the seeds that params.yaml, panel and code do not use.")
    ] = False,
) -> None:
    """Say what finished seeds the store keeps, and how much room they take."""
    from panelbench.cli.store import describe

    typer.echo(describe(_settings(), Path(), prune))


@app.command()
def compare() -> None:
    """Score the stored forecasts and compare the experiments."""
    from panelbench.compare.compare import compare as run_compare

    settings = _settings()
    typer.echo(f"Comparing {_count(settings.experiments, 'experiment')}.")
    run_compare(settings, Path())


@app.command()
def report() -> None:
    """Render the report, one HTML file that needs no network."""
    from panelbench.report.render import render

    settings = _settings()
    typer.echo("Drawing the report; this takes some seconds.")
    render(settings, Path())


@app.command()
def check() -> None:
    """End in an error if a seed failed or the audit did not pass."""
    from panelbench.cli.check import check as run_check

    typer.echo(run_check(_settings(), Path()))


@app.command()
def leaderboard() -> None:
    """Print the leaderboard of the last run."""
    from panelbench.cli.leaderboard import show

    show(Path())


@app.command()
def claims(
    metric: Annotated[
        str | None, typer.Option(help="Only claims that state a value of this metric, such as rmse.")
    ] = None,
) -> None:
    """Print the claims of the last run, measured and judged."""
    from panelbench.cli.claims import table

    typer.echo(table(Path(), metric))


@app.command()
def probe(
    name: Annotated[
        str | None, typer.Argument(help="A file in probes/, without its ending.", show_default=False)
    ] = None,
    page: Annotated[
        bool, typer.Option("--page", help="Write reports/probes.html from what the probes have found.")
    ] = False,
) -> None:
    """Run one small experiment on made-up data, or write the probes' page; `make probes` does all."""
    from panelbench.cli.probe import run as run_probe

    run_probe(name, page, Path())


def _settings() -> Settings:
    """Read params.yaml of the current folder."""
    from panelbench.config import load

    return load(Path("params.yaml"))


def _count(things: Sized, noun: str) -> str:
    number = len(things)
    return f"{number} {noun}" + ("" if number == 1 else "s")


def run() -> None:
    """Entry point of the console script; `--debug` may stand anywhere on the line."""
    arguments = sys.argv[1:]
    if "--debug" in arguments:
        arguments = ["--debug", *(argument for argument in arguments if argument != "--debug")]
    app(args=arguments, prog_name="panelbench")


if __name__ == "__main__":
    run()
