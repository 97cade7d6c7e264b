"""All sections of a report, and what holds for each of them."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from panelbench.report.data import ReportData
from panelbench.report.section import Section
from panelbench.report.sections import SECTIONS


def sections(data: ReportData) -> dict[str, Section]:
    """Return the sections that the study has, by name."""
    return {name: found for name, build in SECTIONS.items() if (found := build(data)) is not None}


def check(found: dict[str, Section]) -> None:
    """Check what holds for every section of every study."""
    for name, section in found.items():
        assert section.id == name
        assert section.sentence.endswith((".", ":")), section.sentence
        text = section.to_markdown()
        assert not re.search(r"\bnan\b|\bNone\b|\binf\b", text), text
        for figure in (*section.figures, *section.inline):
            assert figure.alt
            assert "**" not in figure.alt
            for image in figure.images.values():
                ElementTree.fromstring(image)  # noqa: S314 - our own file
                assert len(image) < 600_000
        for figure in section.figures:
            assert figure.caption
            assert set(figure.images) == {"wide", "narrow"}
