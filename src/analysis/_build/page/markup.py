"""What a piece of HTML holds (text, tables, ids); the id that words give."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
BLOCK = re.compile(r"</?(?:p|li|div|ul|ol|br|h[1-6]|tr|table)\b[^>]*>", re.IGNORECASE)
ID = re.compile(r"<[a-z][^>]*?\sid=[\"']?([^\"'\s>]+)", re.IGNORECASE)
STYLE = re.compile(r"<style\b[^>]*>(.*?)</style\s*>", re.DOTALL | re.IGNORECASE)
ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd]\b([^>]*)>(.*?)</t[hd]>", re.DOTALL)
SPAN = re.compile(r"(row|col)span=\"?(\d+)")
TAG = re.compile(r"</?[a-z!][^>]*>", re.IGNORECASE)


def blocks(markup: str) -> list[str]:
    """The text of each block of HTML (paragraph, list item, ...) that has any, with single spaces."""
    texts = (html.unescape(TAG.sub("", block)) for block in BLOCK.split(UNSEEN.sub("", markup)))
    return [text for text in (" ".join(text.split()) for text in texts) if text]


def ids(markup: str) -> list[str]:
    """The value of every `id`, in order, repeated ones too."""
    return ID.findall(UNSEEN.sub("", markup))


def has_table(markup: str) -> bool:
    """Whether there is a table in HTML."""
    return "<table" in UNSEEN.sub("", markup)


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
