"""What a section of the report is, and how it becomes Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from panelbench import files
from panelbench.report import words

FIGURES = "figures"
"""Folder of the figures, relative to the document."""


@dataclass(frozen=True)
class Figure:
    """One picture: the same content laid out for a wide and for a narrow screen.

    Attributes
    ----------
    name
        File name without ending; unique in the report.
    alt
        The finding in one sentence, plain text.
    caption
        Markdown below the picture: what is drawn, n, and which uncertainty an interval shows.
    images
        SVG text by layout: "wide" and "narrow", or "" alone for a picture inside a table.
    folder
        Where the files lie, relative to the document; each document has a folder of its own.
    """

    name: str
    alt: str
    caption: str
    images: Mapping[str, str]
    folder: str = FIGURES

    def paths(self) -> dict[str, str]:
        """Return the path of each layout's file, relative to the document."""
        return {
            layout: f"{self.folder}/{self.name}{'-' + layout if layout else ''}.svg" for layout in self.images
        }

    def inline(self) -> str:
        """Return the picture as an image inside a line or a table cell."""
        return f"![{words.escape(self.alt)}]({self.paths()['']})"

    def to_markdown(self) -> str:
        """Return the picture in a captioned figure; the style sheet shows the layout that fits."""
        images = " ".join(
            f"![{words.escape(self.alt)}]({path}){{.{layout}}}" for layout, path in self.paths().items()
        )
        return f"<figure>\n\n{images}\n\n<figcaption>\n\n{self.caption}\n\n</figcaption>\n</figure>\n"


@dataclass(frozen=True)
class Section:
    """One section of the storyboard.

    Attributes
    ----------
    id
        Anchor and cell label.
    title
        Heading, Markdown.
    sentence
        The computed answer, shown bold; Markdown.
    body
        Table and reading help after the figures, Markdown.
    figures
        Pictures, placed in order between the sentence and the body.
    inline
        Pictures that the body itself places.
    lead
        Words before the answer in the same paragraph, not bold; Markdown.
    """

    id: str
    title: str
    sentence: str
    body: str = ""
    figures: Sequence[Figure] = field(default_factory=tuple)
    inline: Sequence[Figure] = field(default_factory=tuple)
    lead: str = ""

    def to_markdown(self) -> str:
        """Return the whole section, heading included."""
        parts = [f"## {self.title} {{#{self.id}}}", bold(self.sentence, self.lead)]
        parts += [figure.to_markdown() for figure in self.figures]
        parts.append(self.body.strip("\n"))
        return "\n\n".join(part for part in parts if part) + "\n"

    def write(self, folder: Path) -> None:
        """Write the section's pictures below `folder`, the document's own."""
        for figure in (*self.figures, *self.inline):
            for layout, path in figure.paths().items():
                files.write_text(folder / path, figure.images[layout])


def bold(sentence: str, lead: str = "") -> str:
    """Return the section's answer as a paragraph of its own class; paragraphs inside stay separate."""
    paragraphs = [f"**{part.strip()}**" for part in sentence.split("\n\n") if part.strip()]
    if not paragraphs:
        return ""
    start = f"{lead.strip()} " if lead else ""
    return f"::: {{.answer{' .told' if lead else ''}}}\n\n{start}" + "\n\n".join(paragraphs) + "\n\n:::"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str, kind: str = "scroll") -> str:
    """Return a Markdown pipe table in a box of its own, which scrolls where the screen is too narrow.

    Parameters
    ----------
    header, rows
        Cells as Markdown; names from outside must be escaped already.
    align
        One letter a column: l, r or c.
    kind
        Class of the box.
    """
    marks = {"l": ":---", "r": "---:", "c": ":---:"}
    # Pandoc spreads a table over relative column widths once a source line is longer than its column
    # limit; the renderers pass --columns high enough to leave the widths to the browser.
    lines = [_row(header), _row([marks[letter] for letter in align]), *[_row(row) for row in rows]]
    return f"::: {{.{kind}}}\n\n" + "\n".join(lines) + "\n\n:::\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("\n", " ") for cell in cells) + " |"


def details(summary: str, body: str) -> str:
    """Return Markdown that is folded away until the reader asks for it; print shows it open."""
    return f"<details>\n<summary>{words.escape(summary)}</summary>\n\n{body.strip()}\n\n</details>\n"
