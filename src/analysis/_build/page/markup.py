"""What a piece of HTML holds (text, tables, ids), found with the standard parser; the id that words give."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html.parser import HTMLParser
from itertools import product

BLOCKS = {"p", "li", "div", "ul", "ol", "br", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table"}
UNSEEN = {"style", "script"}
STYLE = re.compile(r"<style\b[^>]*>(.*?)</style\s*>", re.DOTALL | re.IGNORECASE)
ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd]\b([^>]*)>(.*?)</t[hd]>", re.DOTALL)
SPAN = re.compile(r"(row|col)span=\"?(\d+)")
TAG = re.compile(r"</?[a-z!][^>]*>", re.IGNORECASE)
PIECES = 128  # of HTML that are kept parsed: the reports of a sweep have most of theirs in common


class Markup(HTMLParser):
    """The parsed facts of one piece of HTML: its tags with their attributes, and its text by block."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._blocks: list[str] = [""]
        self._unseen = 0
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._edge(tag, 1)

    def handle_endtag(self, tag: str) -> None:
        self._edge(tag, -1)

    def handle_data(self, data: str) -> None:
        if self._unseen <= 0:
            self._blocks[-1] += data

    def _edge(self, tag: str, step: int) -> None:
        if tag in UNSEEN:
            self._unseen += step
        if tag in BLOCKS:
            self._blocks.append("")

    @property
    def blocks(self) -> list[str]:
        """The text of each block (paragraph, list item, ...) that has any, with single spaces."""
        texts = (" ".join(block.split()) for block in self._blocks)
        return [text for text in texts if text]

    @property
    def text(self) -> str:
        """All text on one line."""
        return " ".join(self.blocks)

    def has(self, tag: str) -> bool:
        """Whether there is such an element."""
        return any(name == tag for name, _ in self.tags)

    @property
    def ids(self) -> list[str]:
        """The value of every `id`, in order, repeated ones too."""
        return [attributes["id"] or "" for _, attributes in self.tags if "id" in attributes]


@lru_cache(maxsize=PIECES)
def parsed(markup: str) -> Markup:
    """The parsed facts of a piece of which several things are asked."""
    return Markup(markup)


def without_styles(markup: str) -> tuple[str, list[str]]:
    """The HTML without its `style` elements, and their content: they are allowed in a page's head only."""
    return STYLE.sub("", markup), [content.strip() for content in STYLE.findall(markup)]


@dataclass(frozen=True)
class Frame:
    """A pandas table as text: a name for each column, the rows, and how many columns at their start are the index."""

    names: list[str]
    rows: list[list[str]]
    levels: int


def frame(table: str) -> Frame | None:
    """A pandas table: merged cells repeated, its header rows joined to one; None where rows differ in length."""
    head, _, body = table.partition("</thead>")
    titles, rows = _grid(head), _grid(body)
    widths = {len(row) for row in [*titles, *rows]}
    if len(widths) != 1 or any(None in row for row in [*titles, *rows]):
        return None
    levels = len(re.findall("<th", ROW.search(body)[0])) if rows else 0
    return Frame([_name(column, place < levels) for place, column in enumerate(zip(*titles, strict=True))], rows, levels)


def _name(texts: Iterable[str], is_index: bool) -> str:
    """A column's name from the header rows; an index has its own in the last row that has any."""
    named = list(dict.fromkeys(filter(None, texts)))
    return ", ".join(named[-1:] if is_index else named)


def _grid(markup: str) -> list[list[str | None]]:
    """The text at each place of a table's rows: that of a cell that spans several is at each of them."""
    texts: dict[tuple[int, int], str] = {}
    rows = ROW.findall(markup)
    for row, cells in enumerate(rows):
        column = 0
        for attributes, inner in CELL.findall(cells):
            while (row, column) in texts:
                column += 1
            spans = {name: int(number) for name, number in SPAN.findall(attributes)}
            covered = product(range(row, row + spans.get("row", 1)), range(column, column + spans.get("col", 1)))
            texts |= dict.fromkeys(covered, html.unescape(TAG.sub("", inner)))
    lines: list[dict[int, str]] = [{} for _ in rows]
    for (row, column), text in texts.items():
        if row < len(lines):
            lines[row][column] = text
    return [[line.get(column) for column in range(max(line, default=-1) + 1)] for line in lines]


def anchor(text: str) -> str:
    """Words as an id: lower case, a hyphen between two."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
