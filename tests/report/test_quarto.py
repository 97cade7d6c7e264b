from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from panelbench.errors import InputError, RunFailure
from panelbench.report import kernel, quarto
from panelbench.report.render import metadata, render

HAS_QUARTO = quarto.find() is not None


def test_the_command_names_the_output_and_never_a_path() -> None:
    command = quarto.command(Path("/opt/quarto"), "benchmark.qmd", "out.html", {"title": "A: b"})
    assert command[:3] == ["/opt/quarto", "render", "benchmark.qmd"]
    assert command[command.index("--output") + 1] == "out.html"
    assert "--output-dir" not in command


def test_the_command_switches_cache_and_daemon_off() -> None:
    command = quarto.command(Path("q"), "a.qmd", "b.html", {})
    assert "--no-cache" in command
    assert "--no-execute-daemon" in command


def test_metadata_reach_the_command_one_argument_each() -> None:
    command = quarto.command(Path("q"), "a.qmd", "b.html", {"title": "x: y; rm -rf", "pagetitle": "z"})
    assert command[-4:] == ["--metadata", "title:x: y; rm -rf", "--metadata", "pagetitle:z"]


def test_the_environment_names_the_running_interpreter(tmp_path: Path) -> None:
    found = quarto.environment({"PATH": "/bin", "QUARTO_PYTHON": "/other/python"}, tmp_path)
    assert found["QUARTO_PYTHON"] == sys.executable
    assert found["JUPYTER_PATH"] == str(tmp_path)
    assert found["PATH"] == "/bin"


def test_quarto_demanded_and_absent_is_an_input_error_that_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"report\.renderer is quarto.*https://quarto\.org"):
        quarto.demand()


def test_a_program_that_does_not_run_is_a_failure_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(RunFailure, match="--version"):
        quarto.version(tmp_path / "quarto")


def test_leftovers_lie_beside_the_document_and_never_include_it(tmp_path: Path) -> None:
    document = tmp_path / "benchmark.qmd"
    found = quarto.leftovers(document, "benchmark.rendering.html")
    assert all(path.parent == tmp_path for path in found)
    assert document not in found
    assert tmp_path / "benchmark.html" not in found


def test_a_failed_render_leaves_the_old_report_and_no_scratch(tmp_path: Path) -> None:
    document, output = tmp_path / "benchmark.qmd", tmp_path / "benchmark.html"
    document.write_text("# nothing")
    output.write_text("old")
    with pytest.raises(RunFailure, match="Quarto could not render"):
        quarto.render(Path(sys.executable), document, output, {}, os.environ)  # python is not Quarto
    assert output.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["benchmark.html", "benchmark.qmd"]


def test_the_private_kernel_is_the_running_interpreter_even_where_the_user_registered_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / "user" / "kernels" / "python3"
    user.mkdir(parents=True)
    spec = {"argv": ["/nonexistent/python", "{connection_file}"], "display_name": "x", "language": "python"}
    (user / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "user"))
    assert kernel.interpreter(kernel.write_kernel(tmp_path)) == sys.executable


@pytest.mark.skipif(
    not HAS_QUARTO, reason="quarto is not on PATH; the built-in renderer shows the same document"
)
def test_quarto_renders_the_same_sections(usual, tmp_path: Path) -> None:  # pragma: no cover - needs quarto
    settings = usual.settings.model_copy(
        update={"report": usual.settings.report.model_copy(update={"renderer": "quarto"})}
    )
    result = render(settings, usual.root)
    html = result.path.read_text("utf-8")
    assert result.renderer == "quarto"
    assert "rendered by Quarto" in html
    assert all(f'id="{name}"' in html for name in ("answer", "panel", "spread", "audit", "provenance"))


def test_the_title_is_metadata_for_both_renderers(usual) -> None:
    assert metadata(usual.settings.report.title)["title"] == "Which model: *this* or <that>?"
