"""Render with Quarto: the command, its environment, and what it leaves behind."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from panelbench.errors import InputError, RunFailure
from panelbench.report import kernel

HOW_TO_GET_IT = (
    "Install it from https://quarto.org/docs/get-started (or `pip install quarto-cli`, which downloads it), "
    "open a new shell and check `quarto --version`; or set report.renderer to auto or builtin in params.yaml."
)


def find() -> Path | None:
    """Return Quarto's program if it is on PATH."""
    found = shutil.which("quarto")
    return Path(found) if found else None


def demand() -> Path:
    """Return Quarto's program.

    Raises
    ------
    InputError
        If it is not on PATH; says how to get it.
    """
    found = find()
    if found is None:
        raise InputError(
            f"params.yaml: report.renderer is quarto, but there is no `quarto` on PATH. {HOW_TO_GET_IT}"
        )
    return found


def version(program: Path) -> str:
    """Return Quarto's version.

    Raises
    ------
    RunFailure
        If the program does not run.
    """
    try:
        done = subprocess.run(  # noqa: S603 - our own command, no shell
            [str(program), "--version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RunFailure(
            f"{program} is on PATH but `quarto --version` failed: {error}. {HOW_TO_GET_IT}"
        ) from error
    return done.stdout.strip()


def command(program: Path, document: str, output: str, metadata: Mapping[str, str]) -> list[str]:
    """Return the command, to be run in the document's folder.

    Parameters
    ----------
    document, output
        Names, not paths: Quarto refuses a path as output.
    """
    return [
        str(program),
        "render",
        document,
        "--to",
        "html",
        "--output",
        output,
        "--no-cache",
        "--no-execute-daemon",
        *[part for key, value in metadata.items() for part in ("--metadata", f"{key}:{value}")],
    ]


def environment(base: Mapping[str, str], private: Path) -> dict[str, str]:
    """Return the environment: the running interpreter, and a kernel that is it and cannot be shadowed.

    Parameters
    ----------
    base
        The environment to start from.
    private
        Folder with the kernel of `kernel.write_kernel`; JUPYTER_PATH is searched before the user's folder.
    """
    return {**base, "QUARTO_PYTHON": sys.executable, "JUPYTER_PATH": str(private)}


def leftovers(document: Path, output: str) -> list[Path]:
    """Return the paths that Quarto may leave beside a document."""
    folder, stem = document.parent, document.stem
    rendered = Path(output).stem
    return [
        folder / f"{stem}.quarto_ipynb",
        folder / f"{stem}_files",
        folder / f"{rendered}_files",
        folder / output,
        folder / ".quarto",
    ]


def render(
    program: Path, document: Path, output: Path, metadata: Mapping[str, str], base: Mapping[str, str]
) -> None:
    """Render the document to one HTML file, which is replaced in one step at the end.

    Raises
    ------
    RunFailure
        If the kernel is not the running interpreter, or Quarto fails or writes nothing.
    """
    scratch = f"{document.stem}.rendering.html"
    before = {path for path in leftovers(document, scratch) if path.exists()}
    try:
        with tempfile.TemporaryDirectory() as private:
            found = kernel.interpreter(kernel.write_kernel(Path(private)))
            if Path(found) != Path(sys.executable):
                raise RunFailure(f"Jupyter would run the report with {found} instead of {sys.executable}.")
            done = subprocess.run(  # noqa: S603 - our own command, no shell
                command(program, document.name, scratch, metadata),
                cwd=document.parent,
                env=environment(base, Path(private)),
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                check=False,
            )
        made = document.parent / scratch
        if done.returncode or not made.is_file():
            said = "\n".join((done.stderr or done.stdout).strip().splitlines()[-15:])
            raise RunFailure(
                f"Quarto could not render {document.name} (exit code {done.returncode}):\n{said}"
            )
        made.replace(output)
    finally:
        for path in leftovers(document, scratch):
            if path not in before or path.name == scratch:
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
