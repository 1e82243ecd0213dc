"""A short document that is written as Markdown and as HTML."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template


@dataclass(frozen=True)
class Heading:
    """A title (level 1) or the heading of a section (2, 3)."""

    text: str
    level: int = 2

    def markdown(self) -> str:
        """Write it with as many number signs as its level."""
        return f"{'#' * self.level} {self.text}"

    def html(self) -> str:
        """Write it as h1, h2 or h3."""
        return f"<h{self.level}>{escape(self.text)}</h{self.level}>"


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str

    def markdown(self) -> str:
        """Write it as it is."""
        return self.text

    def html(self) -> str:
        """Render as an HTML paragraph."""
        return f"<p>{escape(self.text)}</p>"


@dataclass(frozen=True)
class Table:
    """Texts in rows; columns after the first ``text_columns`` hold numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1

    def markdown(self) -> str:
        """Write it with pipes; those within texts are escaped."""
        numbers = len(self.headings) - self.text_columns
        rule = ["---"] * self.text_columns + ["---:"] * numbers
        lines = [self.headings, rule, *self.rows]
        return "\n".join(f"| {' | '.join(_piped(each) for each in line)} |" for line in lines)

    def html(self) -> str:
        """Write it as table."""
        head = f"<thead>{self._row('th', self.headings)}</thead>"
        body = "\n".join(self._row("td", row) for row in self.rows)
        return f'<div class="scroll"><table>{head}<tbody>\n{body}\n</tbody></table></div>'

    def _row(self, tag: str, row: Sequence[str]) -> str:
        kinds = (' class="text"' if place < self.text_columns else "" for place in range(len(row)))
        cells = (
            f"<{tag}{kind}>{escape(each)}</{tag}>" for kind, each in zip(kinds, row, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"


@dataclass(frozen=True)
class Code:
    """Text whose lines and blanks are kept."""

    text: str
    language: str = ""

    def markdown(self) -> str:
        """Write it as a fenced block."""
        return f"```{self.language}\n{self.text.rstrip()}\n```"

    def html(self) -> str:
        """Write it as pre."""
        return f"<pre>{escape(self.text.rstrip())}</pre>"


@dataclass(frozen=True)
class Picture:
    """A picture beside the Markdown document; an HTML page contains it."""

    title: str
    path: Path

    def markdown(self) -> str:
        """Write the name of its file."""
        return f"![{self.title}]({self.path.name})"

    def html(self) -> str:
        """Write it as img."""
        data = b64encode(self.path.read_bytes()).decode()
        return f'<img alt="{escape(self.title)}" src="data:image/svg+xml;base64,{data}">'


Block = Heading | Paragraph | Table | Code | Picture


def as_markdown(blocks: Sequence[Block]) -> str:
    """Return the blocks with empty lines between them."""
    return "\n\n".join(block.markdown() for block in blocks) + "\n"


def as_html(title: str, blocks: Sequence[Block]) -> str:
    """Return a page that loads nothing from elsewhere."""
    page = Template(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))
    body = "\n".join(block.html() for block in blocks)
    return page.substitute(title=escape(title), body=body)


def _piped(text: str) -> str:
    return text.replace("|", "\\|")
