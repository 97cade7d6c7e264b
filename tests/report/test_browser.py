"""The report in headless Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from panelbench.report.render import RenderResult

pytestmark = pytest.mark.browser

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def program() -> str | None:
    """Return Chromium's program, if it is there."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = program()
    if found is None:
        pytest.skip("no Chromium on PATH (Debian: apt-get install chromium)")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as play:
        started = play.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield started
        started.close()


class Visit:
    """One visit to the report: the page, what the console said, what was asked of the network."""

    def __init__(self, browser: Any, path: Path, width: int, height: int) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": height})
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())
        self.address = path.as_uri()


@pytest.fixture(params=[(1400, 900), (820, 1000), (390, 844)], ids=["wide", "tablet", "telephone"])
def visit(request: pytest.FixtureRequest, browser: Any, rendered: RenderResult) -> Iterator[Visit]:
    made = Visit(browser, rendered.path, *request.param)
    yield made
    made.page.close()


def test_the_console_stays_silent(visit: Visit) -> None:
    assert visit.said == []


def test_nothing_is_asked_of_the_network(visit: Visit) -> None:
    assert [url for url in visit.asked if not url.startswith("data:")] == [visit.address]


def test_every_picture_is_loaded(visit: Visit) -> None:
    states = visit.page.eval_on_selector_all(
        "img", "all => all.map(one => one.complete && one.naturalWidth > 0)"
    )
    assert len(states) > 20
    assert all(states)


def test_the_page_does_not_scroll_sideways(visit: Visit) -> None:
    assert visit.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_nothing_visible_sticks_out_of_the_page(visit: Visit) -> None:
    """Boxes that scroll by themselves may hold wider content; the page itself may not."""
    wide = visit.page.evaluate(
        """() => [...document.querySelectorAll('body *')].filter(one => {
            if (one.closest('.scroll, #TOC, math, details:not([open])')) return false;
            const box = one.getBoundingClientRect();
            return box.width > 0 && (box.right > window.innerWidth + 1 || box.left < -1);
        }).map(one => one.tagName + '.' + one.className)"""
    )
    assert wide == []


def test_every_link_of_the_contents_leads_to_a_heading(visit: Visit) -> None:
    targets = visit.page.eval_on_selector_all(
        "#TOC a",
        "all => all.map(one => document.getElementById(decodeURIComponent(one.hash.slice(1)))?.tagName)",
    )
    assert len(targets) > 8
    assert set(targets) == {"H2"}


def test_links_inside_the_text_lead_somewhere(visit: Visit) -> None:
    dead = visit.page.eval_on_selector_all(
        "a[href^='#']",
        "all => all.filter(one => !document.getElementById(one.hash.slice(1))).map(one => one.hash)",
    )
    assert dead == []


def test_one_layout_of_each_figure_is_shown(visit: Visit) -> None:
    shown = visit.page.eval_on_selector_all(
        "figure",
        "all => all.map(one => [...one.querySelectorAll('img')].filter(i => i.offsetWidth > 0).length)",
    )
    assert set(shown) == {1}


def test_figures_are_not_shrunk_below_legibility(visit: Visit) -> None:
    """Twelve pixels in a figure's own scale stay at least ten on the screen."""
    scales = visit.page.eval_on_selector_all(
        "figure img", "all => all.filter(i => i.offsetWidth > 0).map(i => i.offsetWidth / i.naturalWidth)"
    )
    assert min(scales) > 0.83


def test_folded_details_open_and_still_fit(visit: Visit) -> None:
    visit.page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
    assert visit.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_contents_stay_in_view_while_reading(visit: Visit) -> None:
    visit.page.evaluate("window.scrollTo(0, 3000)")
    top, bottom = visit.page.eval_on_selector(
        "#TOC", "one => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom]"
    )
    assert top >= 0
    assert bottom > 0


def test_the_answer_is_on_the_first_screen(visit: Visit) -> None:
    box = visit.page.locator(".answer").first.bounding_box()
    assert box["y"] + box["height"] < visit.page.viewport_size["height"]


def test_strips_stand_under_their_axis(visit: Visit) -> None:
    boxes = visit.page.eval_on_selector_all(
        ".leaderboard img",
        "all => all.map(one => [one.getBoundingClientRect().left, one.getBoundingClientRect().width])",
    )
    lefts, widths = ({round(box[i]) for box in boxes} for i in (0, 1))
    assert len(lefts) == 1
    assert len(widths) == 1


def test_print_shows_the_wide_layout_and_no_contents(browser: Any, rendered: RenderResult) -> None:
    visit = Visit(browser, rendered.path, 1000, 800)
    visit.page.emulate_media(media="print")
    assert not visit.page.locator("#TOC").is_visible()
    assert visit.page.locator("figure img.wide").first.is_visible()
    assert len(visit.page.pdf(format="A4")) > 10_000
    visit.page.close()
