from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text

from panelbench.report import theme
from panelbench.report.labels import Label, place
from panelbench.report.section import Figure
from panelbench.report.theme import LAYOUTS, NARROW, WIDE, Layout

HOSTILE = '<b>$x^2$ & "q" \\alpha 東京'


def _figure(title: str = "Title") -> Figure:
    def paint(layout: Layout):
        figure, grid = theme.canvas(layout, 200)
        grid[0, 0].plot([0, 1, 2], [1000, 3000, 2000])
        grid[0, 0].imshow(np.eye(3), extent=(0, 1, 1000, 2000), aspect="auto", interpolation="none")
        grid[0, 0].set_title(title)
        return figure

    return theme.draw("name", "It **rises**.", "Caption.", paint)


def test_the_same_figure_gives_the_same_bytes() -> None:
    assert _figure().images == _figure().images


def test_a_figure_comes_in_both_layouts_with_their_widths() -> None:
    for layout in LAYOUTS:
        root = ElementTree.fromstring(_figure().images[layout.name])  # noqa: S314 - our own file
        assert float(root.attrib["width"].removesuffix("pt")) == pytest.approx(layout.width * 0.75)


def test_a_figure_names_no_date_no_program_and_no_address_to_load() -> None:
    for image in _figure().images.values():
        assert "metadata" not in image
        assert "Matplotlib" not in image
        assert 'href="http' not in image


def test_text_stays_text_in_the_readers_own_font() -> None:
    image = _figure("A title to find").images["wide"]
    assert "A title to find</text>" in image
    assert "system-ui" in image
    assert "DejaVu" not in image


@pytest.mark.filterwarnings("error")
def test_a_hostile_name_is_shown_as_it_is_written() -> None:
    for image in _figure(HOSTILE).images.values():
        texts = [
            "".join(node.itertext())
            for node in ElementTree.fromstring(image).iter()  # noqa: S314 - our own file
            if node.tag.endswith("text")
        ]
        assert HOSTILE in texts


def test_alt_texts_carry_no_markup() -> None:
    assert _figure().alt == "It rises."


def test_the_narrow_layout_has_fewer_columns() -> None:
    assert WIDE.columns(6, 3) == 3
    assert NARROW.columns(6, 3) == 1
    assert WIDE.columns(1, 3) == 1


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12), st.floats(0.5, 8))
def test_labels_moved_apart_keep_their_order_and_their_gap(positions: list[float], gap: float) -> None:
    placed = theme.apart(positions, gap, -1e6, 1e6)
    order = np.argsort(positions, kind="stable")
    assert (np.diff(np.array(placed)[order]) >= gap - 1e-6).all()


def test_labels_that_are_far_apart_stay_where_they_are() -> None:
    assert theme.apart([5.0, 30.0, 15.0], 4.0, 0.0, 40.0) == pytest.approx([5.0, 30.0, 15.0])


def test_names_of_close_points_do_not_cover_each_other() -> None:
    figure, grid = theme.canvas(WIDE, 300)
    axes = grid[0, 0]
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)
    place(axes, [Label(5.0, 5.0 + 0.01 * i, f"model number {i}", "#000000") for i in range(6)])
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in axes.texts]  # without the line to the point
    overlaps = [a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :]]
    assert len(boxes) == 6
    assert not any(overlaps)
