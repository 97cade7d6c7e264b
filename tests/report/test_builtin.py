from __future__ import annotations

import os
from pathlib import Path

import jupytext
import pytest

from panelbench.errors import InputError, RunFailure
from panelbench.report import builtin

FRONT = "---\nlang: en\n---\n\n# Heading\n\n"


def cell(label: str, code: str) -> str:
    return f"```{{python}}\n#| label: {label}\n{code}\n```\n\n"


SHOW = "from IPython.display import Markdown, display\n"


def run(text: str, folder: Path, **environment: str):
    notebook = jupytext.reads(text, fmt="Rmd")
    builtin.execute(notebook, folder / "benchmark.qmd", {**os.environ, **environment})
    return notebook


def test_cells_show_markdown_in_order_and_never_their_code(tmp_path: Path) -> None:
    text = (
        FRONT
        + cell("one", SHOW + 'display(Markdown("**first**"))')
        + "between\n\n"
        + cell("two", 'print("noise")')
    )
    flat = builtin.flatten(run(text, tmp_path))
    assert flat.startswith("---\nlang: en\n---")
    assert flat.index("# Heading") < flat.index("**first**") < flat.index("between")
    assert "display(" not in flat
    assert "noise" not in flat


def test_a_failing_cell_is_named_with_its_error(tmp_path: Path) -> None:
    text = FRONT + cell("fine", "x = 1") + cell("broken", "raise ValueError('no such file')")
    with pytest.raises(RunFailure, match=r"cell 'broken' in benchmark\.qmd failed: ValueError: no such file"):
        run(text, tmp_path)


def test_html_of_a_library_is_refused_by_the_cells_name(tmp_path: Path) -> None:
    text = FRONT + cell("table", "from IPython.display import HTML\nHTML('<script>x</script>')")
    with pytest.raises(RunFailure, match=r"cell .table..*Markdown only"):
        builtin.flatten(run(text, tmp_path))


def test_cells_run_in_the_documents_folder_with_the_given_environment(tmp_path: Path) -> None:
    code = SHOW + "import os\ndisplay(Markdown(os.getcwd() + ' ' + os.environ['GREETING']))"
    assert f"{tmp_path} hello" in builtin.flatten(
        run(FRONT + cell("where", code), tmp_path, GREETING="hello")
    )


def test_what_a_cell_says_of_the_users_files_comes_through_as_it_is(tmp_path: Path) -> None:
    code = "from panelbench.errors import InputError\nraise InputError('a.npz is damaged')"
    with pytest.raises(InputError, match=r"^a\.npz is damaged$"):
        run(FRONT + cell("attention", code), tmp_path)


def test_pandoc_refuses_a_picture_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "theme.css").write_text("")
    with pytest.raises(RunFailure, match=r"missing\.svg"):
        builtin.to_html("![x](figures/missing.svg)", tmp_path, tmp_path / "out.html", {})


def test_the_command_embeds_everything_and_loads_nothing(tmp_path: Path) -> None:
    command = builtin.command(tmp_path / "out.html", {"title": "A: b"})
    assert {"--embed-resources", "--standalone", "--mathml", "--toc"} <= set(command)
    assert "--metadata=title:A: b" in command
    assert not any("http" in part.replace("http-equiv", "") for part in command)
