from __future__ import annotations

import re
from pathlib import Path

import jupytext
import pytest

from panelbench.report import builtin
from panelbench.report.section import Figure, Section, bold, details, table
from panelbench.report.sections import SECTIONS

FIGURE = Figure("pic", "It [rises]", "Caption.", {"wide": "<svg/>", "narrow": "<svg/>"})


def test_a_section_reads_heading_answer_figure_body() -> None:
    text = Section("id", "Title", "Answer.", "Body.", (FIGURE,)).to_markdown()
    order = [text.index(part) for part in ("## Title {#id}", "**Answer.**", "<figure>", "Caption.", "Body.")]
    assert order == sorted(order)


def test_a_figure_offers_both_layouts_with_the_same_alt_text() -> None:
    text = FIGURE.to_markdown()
    assert "![It \\[rises\\]](figures/pic-wide.svg){.wide}" in text
    assert "![It \\[rises\\]](figures/pic-narrow.svg){.narrow}" in text


def test_writing_a_section_puts_every_picture_where_the_text_looks_for_it(tmp_path: Path) -> None:
    inline = Figure("dot", "A dot", "", {"": "<svg/>"})
    section = Section("id", "Title", "Answer.", inline.inline(), (FIGURE,), (inline,))
    section.write(tmp_path)
    named = re.findall(r"\]\(([^)]+)\)", section.to_markdown())
    assert len(named) == 3
    assert all((tmp_path / name).is_file() for name in named)


def test_each_paragraph_of_an_answer_is_bold_by_itself() -> None:
    assert bold("One.\n\nTwo.").count("**") == 4
    assert bold("") == ""


def test_a_table_has_one_line_a_row_even_where_a_cell_has_a_line_break() -> None:
    text = table(["a", "b"], [["1\n2", "3"]], "lr")
    assert "| 1 2 | 3 |" in text
    assert "| :--- | ---: |" in text


def test_details_escape_their_summary() -> None:
    assert "<summary>a \\<b\\></summary>" in details("a <b>", "text")


def test_the_document_has_one_cell_a_section_in_the_registrys_order(root: Path) -> None:
    notebook = jupytext.reads((root / "reports" / "benchmark.qmd").read_text("utf-8"), fmt="Rmd")
    shown = [re.findall(r'report\.show\("(\w+)"\)', cell.source) for cell in builtin.code_cells(notebook)]
    assert [name for names in shown for name in names] == list(SECTIONS)


def test_every_cell_of_the_document_has_its_own_label(root: Path) -> None:
    notebook = jupytext.reads((root / "reports" / "benchmark.qmd").read_text("utf-8"), fmt="Rmd")
    labels = [builtin.label(cell) for cell in builtin.code_cells(notebook)]
    assert None not in labels
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("key", ["cache: false", "freeze: false", "daemon: false", "embed-resources: true"])
def test_the_document_asks_quarto_for_no_cache_and_one_file(root: Path, key: str) -> None:
    assert key in (root / "reports" / "benchmark.qmd").read_text("utf-8")
