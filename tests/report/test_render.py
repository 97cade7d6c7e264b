from __future__ import annotations

import re
from pathlib import Path

import pytest

from panelbench.errors import InputError, RunFailure
from panelbench.report.page import footer
from panelbench.report.render import RenderResult, clear_figures, render, render_document
from panelbench.report.sections import SECTIONS
from tests.report.conftest import SIX, Project


@pytest.fixture(scope="module")
def html(rendered: RenderResult) -> str:
    return rendered.path.read_text("utf-8")


def test_the_report_is_one_file_of_less_than_five_megabytes(rendered: RenderResult) -> None:
    assert rendered.renderer == "builtin"
    assert rendered.path.name == "benchmark.html"
    assert rendered.n_bytes == rendered.path.stat().st_size < 5_000_000


def test_the_report_refers_to_nothing_outside_itself(html: str) -> None:
    sources = re.findall(r'(?:src|srcset|poster|data)="([^"]*)"', html)
    assert sources
    assert all(source.startswith("data:") for source in sources)
    links = re.findall(r'<link[^>]*href="([^"]*)"', html)
    assert all(link.startswith("data:") for link in links)
    assert not re.search(r"<script[^>]*src=", html)
    assert "@import" not in html


def test_every_section_is_there_under_its_heading(html: str) -> None:
    shown = re.findall(r'<h2[^>]*id="([^"]*)"', html)
    assert shown == [name for name in SECTIONS if name in shown]
    assert {"answer", "panel", "spread", "size", "ablations", "comparison", "where", "provenance"} <= set(
        shown
    )


def test_no_markdown_is_left_over(html: str) -> None:
    body = re.sub(r"<[^>]*>", " ", re.sub(r"data:[^\"]*", "", html))
    assert ":::" not in body
    assert "**" not in body
    assert "{." not in body.split("</style>")[-1].split("sourceCode")[-1]


def test_the_title_is_text_and_not_markup(html: str) -> None:
    assert '<h1 class="title">Which model: *this* or &lt;that&gt;?</h1>' in html
    assert "<title>Which model: *this* or &lt;that&gt;?</title>" in html


def test_the_page_says_its_language_and_its_renderer(html: str, rendered: RenderResult) -> None:
    assert '<html xmlns="http://www.w3.org/1999/xhtml" lang="en"' in html
    assert f"rendered by {rendered.version}" in re.sub(r"\s+", " ", html)


def test_the_page_forbids_scripts_and_the_network(html: str) -> None:
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    assert policy[1].startswith("default-src &#39;none&#39;; img-src data:;")
    assert "script" not in policy[1]


def test_formulas_are_mathml(html: str) -> None:
    assert "<math" in html
    assert "MathJax" not in html
    assert "katex" not in html.lower()


def test_every_picture_has_an_alternative_text(html: str) -> None:
    pictures = re.findall(r"<img[^>]*>", html)
    assert len(pictures) > 20
    assert all(re.search(r'alt="[^"]{10,}"', picture) for picture in pictures)


def test_figures_lie_beside_the_report(rendered: RenderResult) -> None:
    names = {path.name for path in (rendered.path.parent / "figures").iterdir()}
    assert {
        "spread-wide.svg",
        "spread-narrow.svg",
        "strip-axis.svg",
        "ablations-wide.svg",
    } <= names


def test_no_scratch_file_stays(rendered: RenderResult) -> None:
    names = {path.name for path in rendered.path.parent.iterdir()}
    assert not [name for name in names if name.startswith(".") or name.endswith((".ipynb", ".tmp"))]


def test_the_footer_names_any_renderer_as_text() -> None:
    assert "rendered by Quarto 1\\.7" in footer("Quarto 1.7")


def test_old_figures_are_cleared_and_other_files_kept(tmp_path: Path) -> None:
    for name in ("old.svg", "notes.txt"):
        (tmp_path / name).write_text("x")
    clear_figures(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_second_document_is_rendered_with_the_same_look_and_figures_of_its_own(
    rendered: RenderResult, tmp_path: Path
) -> None:
    (tmp_path / "theme.css").write_text((rendered.path.parent / "theme.css").read_text("utf-8"))
    for folder in ("figures", "probe_figures"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "old.svg").write_text("<svg/>")
    code = (
        "import os\nfrom pathlib import Path\nfrom panelbench.report.page import emit\n"
        "from panelbench.report.section import Figure\n"
        "figure = Figure('dot', 'A dot', '', {'': '<svg/>'}, 'probe_figures')\n"
        "Path(figure.paths()['']).write_text('<svg/>')\n"
        "emit(os.environ['SAID'] + figure.inline())"
    )
    (tmp_path / "probes.qmd").write_text(f"---\nlang: en\n---\n\n```{{python}}\n#| label: a\n{code}\n```\n")
    output = tmp_path / "probes.html"
    found = render_document(
        tmp_path / "probes.qmd", output, "builtin", "Probes", {"SAID": "hello "}, "probe_figures"
    )
    html = output.read_text("utf-8")
    assert found.path == output
    assert "<title>Probes</title>" in html
    assert re.search(r'<p>hello <img[^>]*src="data:image/svg', html)
    assert [path.name for path in (tmp_path / "probe_figures").iterdir()] == ["dot.svg"]
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["old.svg"]


def test_a_failing_cell_leaves_the_report_before_it(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    project.finish(report={"renderer": "builtin"})
    reports = project.root / "reports"
    (reports / "benchmark.html").write_text("the report before")
    document = reports / "benchmark.qmd"
    document.write_text(
        document.read_text("utf-8").replace('report.show("panel")', 'report.show("pannel")'), "utf-8"
    )
    with pytest.raises(RunFailure, match=r"cell 'panel' in benchmark\.qmd failed: KeyError: 'pannel'"):
        render(project.settings, project.root)
    assert (reports / "benchmark.html").read_text() == "the report before"


def test_what_is_missing_is_said_before_anything_runs(project: Project) -> None:
    project.tree.add("rnn", seeds=SIX)
    project.finish(report={"renderer": "builtin"})
    (project.root / "reports" / "theme.css").unlink()
    with pytest.raises(InputError, match=r"theme\.css is not there"):
        render(project.settings, project.root)


def test_quarto_demanded_and_absent_stops_the_report(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.tree.add("rnn", seeds=SIX)
    project.finish(report={"renderer": "quarto"})
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="no `quarto` on PATH"):
        render(project.settings, project.root)
