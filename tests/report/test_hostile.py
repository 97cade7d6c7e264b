"""Names and messages from outside, through the real renderer: they are shown and never obeyed."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from panelbench.files import write_json, write_text
from panelbench.report.render import render
from tests.helpers.runs_tree import RunsTree
from tests.report.conftest import ROBUSTNESS, SIX, Project

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "[a](javascript:alert(3))",
    "![b](https://example.org/4.png)",
    "`<b>5</b>`{=html}",
    "\\`<i>6</i>`{=html}",
    "| 7 | ::: {.warning} | $x^2$ | \\(y\\)",
    "--- title: 8 ...",
    "</summary></details></figure><h1>9</h1>",
    '" onmouseover="alert(10)',
    "{{< include /etc/passwd >}} 11",
    "&lt;12&gt; &copy; <https://example.org/12>",
    "# 13 **bold** ~~x~~ ^y^ [@cite] \\newpage",
    "]{.fail onclick=alert(14)}",
]
MARKUP = {"strong", "em", "del", "sup", "sub"}


class Seen(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words))


def edit(path: Path, **changes: Any) -> None:
    write_json(path, {**json.loads(path.read_text()), **changes})


def hostile_project(root: Path) -> Project:
    """Put an attack wherever a text from outside reaches the page."""
    tree = RunsTree(root, n_series=len(ATTACKS))
    tree.names = sorted(ATTACKS)
    tree.write_panel()
    project = Project(tree, root)
    project.add_usual()
    errors = {seed: f"{ATTACKS[seed]}\n\n---\n\n# {ATTACKS[-seed]}" for seed in SIX}
    tree.add("lost", seeds=SIX, failed=errors)
    for attack, name in zip(ATTACKS, tree.experiments, strict=False):
        edit(root / "data" / "runs" / name / "runs.json", label=attack)
    unit, source, title, target = f"\u202e{ATTACKS[3]}", ATTACKS[10], ATTACKS[0], ATTACKS[6]
    edit(
        root / "data" / "panel.json", title=title, unit=unit, source=source, target_name=target,
        notes=ATTACKS, files=[{"name": ATTACKS[1], "sha256": "0" * 64, "url": "javascript:alert(15)"}],
    )  # fmt: skip
    claims = [
        {"id": f"c{i}", "claim": one, "source": one, "kind": "order", "better": "lasso", "worse": "rnn",
         "headline": True, "why": one}
        for i, one in enumerate(ATTACKS)
    ]  # fmt: skip
    write_text(root / "ledgers" / "x.yaml", yaml.safe_dump({"about": ATTACKS[1], "claims": claims}))
    protocols = {name: {**one, "title": attack} for attack, (name, one) in zip(
        ATTACKS, ROBUSTNESS["protocols"].items(), strict=False
    )}  # fmt: skip
    verdicts = {name: {**one, "title": attack} for attack, (name, one) in zip(
        ATTACKS, ROBUSTNESS["verdicts"].items(), strict=False
    )}  # fmt: skip
    project.finish(
        report={"renderer": "builtin", "title": " ".join(ATTACKS[:3])},
        claims=["ledgers/x.yaml"],
        robustness={**ROBUSTNESS, "protocols": protocols, "verdicts": verdicts},
    )
    audit = json.loads((root / "reports" / "audit.json").read_text())
    for check, attack in zip(audit["checks"], ATTACKS, strict=False):
        check |= {"title": attack, "disturbed": attack, "must_hold": attack, "detail": attack}
    write_json(root / "reports" / "audit.json", audit)
    return project


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = hostile_project(tmp_path_factory.mktemp("hostile"))
    return render(project.settings, project.root).path


@pytest.fixture(scope="module")
def seen(page: Path) -> Seen:
    return Seen(page.read_text("utf-8"))


def test_no_element_comes_from_outside(seen: Seen) -> None:
    tags = {tag for tag, _ in seen.elements}
    assert not tags & {"script", "iframe", "object", "embed", "form", "input", "b", "i", "base"}
    assert sum(tag == "h1" for tag, _ in seen.elements) == 1
    assert not tags & (MARKUP - {"strong", "em"})


def test_no_attribute_acts_and_nothing_leads_outside(seen: Seen) -> None:
    for tag, attributes in seen.elements:
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        assert (attributes.get("href") or "#").startswith(("#", "data:")), (tag, attributes)
        assert (attributes.get("src") or "data:").startswith("data:"), (tag, attributes)
        assert not re.search(r"(?i)javascript", attributes.get("href") or "")


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_what_was_written_is_what_is_shown(seen: Seen, attack: str) -> None:
    assert re.sub(r"\s+", " ", attack) in seen.text


def test_nothing_turns_the_reading_direction(page: Path) -> None:
    assert "\u202e" not in page.read_text("utf-8")


def test_pictures_show_it_as_text_too(page: Path) -> None:
    pictures = "".join(path.read_text("utf-8") for path in (page.parent / "figures").glob("*.svg"))
    assert "<script" not in pictures
    assert "onerror=alert" in pictures.replace("&lt;img src=x ", "")
    assert "<img" not in pictures


def test_a_browser_agrees(page: Path) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    browser = pytest.importorskip("tests.report.test_browser")
    program = browser.program()
    if program is None:
        pytest.skip("no Chromium on PATH (Debian: apt-get install chromium)")
    with api.sync_playwright() as play:
        started = play.chromium.launch(executable_path=program, args=browser.ARGUMENTS)
        visit = browser.Visit(started, page, 1400, 900)
        visit.page.on("dialog", lambda dialog: visit.said.append(dialog.message))
        visit.page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        visit.page.hover("body")
        assert visit.said == []
        assert [url for url in visit.asked if not url.startswith("data:")] == [visit.address]
        started.close()
