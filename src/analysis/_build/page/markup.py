"""What a piece of HTML holds (text, tables, ids), found with the standard parser; the id that words give."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from html.parser import HTMLParser

BLOCKS = {"p", "li", "div", "ul", "ol", "br", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table"}
UNSEEN = {"style", "script"}
LAST_END = re.compile(r".*</style[^>]*>?", re.DOTALL | re.IGNORECASE)
PIECES = 128  # of HTML that are kept parsed: the reports of a sweep have most of theirs in common


class Markup(HTMLParser):
    """The parsed facts of one piece of HTML: its tags with their attributes, and its text by block."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._blocks: list[str] = [""]
        self._unseen = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._edge(tag, 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._edge(tag, 0)

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


class _StyleFinder(HTMLParser):
    """Where the `style` elements of a piece of HTML begin and end, as places in the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.spans: list[tuple[int, int, int, int]] = []
        self._html, self._lines = html, [0]
        for line in html.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)
        self._open: tuple[int, int] | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "style":
            self._open = (self._place(), self._place() + len(self.get_starttag_text() or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "style" and self._open:
            end = self._place()
            self.spans.append((*self._open, end, self._html.index(">", end) + 1))
            self._open = None

    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column


@lru_cache(maxsize=PIECES)
def parsed(html: str) -> Markup:
    """The parsed facts of a piece of which several things are asked."""
    return Markup(html)


@lru_cache(maxsize=PIECES)
def without_styles(html: str) -> tuple[str, tuple[str, ...]]:
    """The HTML without its `style` elements, and their content: they are allowed in a page's head only."""
    rest, styles, after = "", [], 0
    last = LAST_END.match(html)  # Behind it no such element ends, so nothing need be parsed.
    for begin, inner, inner_end, end in _StyleFinder(last[0]).spans if last else ():
        rest += html[after:begin]
        styles.append(html[inner:inner_end].strip())
        after = end
    return rest + html[after:], tuple(styles)


@dataclass(frozen=True)
class Cell:
    """One cell of a table: its text, the columns and rows that it spans, and whether it is a heading."""

    text: str
    columns: int
    rows: int
    heading: bool


class _FrameReader(HTMLParser):
    """The cells of a table, row by row: those of its head, and the others."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.head: list[list[Cell]] = []
        self.body: list[list[Cell]] = []
        self._rows, self._inside = self.body, False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        spans = dict(attrs)
        if tag in ("thead", "tbody"):
            self._rows = self.head if tag == "thead" else self.body
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("th", "td") and self._rows:
            cell = Cell("", int(spans.get("colspan") or 1), int(spans.get("rowspan") or 1), tag == "th")
            self._rows[-1].append(cell)
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag not in ("th", "td", "tr")

    def handle_data(self, data: str) -> None:
        if self._inside:
            cell = self._rows[-1][-1]
            self._rows[-1][-1] = replace(cell, text=cell.text + data)


@dataclass(frozen=True)
class Frame:
    """A pandas table as text: a name for each column, the rows, and how many columns at their start are the index."""

    names: list[str]
    rows: list[list[str]]
    levels: int


def frame(html: str) -> Frame | None:
    """A pandas table: merged cells repeated, its header rows joined to one; None where rows differ in length."""
    reader = _FrameReader(html)
    head, body = _grid(reader.head), _grid(reader.body)
    widths = {len(row) for row in [*head, *body]}
    if len(widths) != 1:
        return None
    levels = sum(cell.columns for cell in reader.body[0] if cell.heading) if body else 0
    names = [_name([row[place] for row in head], place < levels) for place in range(widths.pop())]
    return Frame(names, body, levels)


def _name(texts: list[str], is_index: bool) -> str:
    """A column's name from the header rows; an index has its own in the last row that has any."""
    named = list(dict.fromkeys(text for text in texts if text))
    return ", ".join(named[-1:] if is_index else named)


def _grid(rows: list[list[Cell]]) -> list[list[str]]:
    """The text at each place of a table: that of a cell that spans several is at each of them."""
    lines: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # by place: of cells from above, the rows that are left and the text
    for row in rows:
        line: list[str] = []
        cells = iter(row)
        while True:
            if len(line) in hanging:
                left, text = hanging.pop(len(line))
                if left > 1:
                    hanging[len(line)] = (left - 1, text)
                line.append(text)
            elif (cell := next(cells, None)) is not None:
                for _ in range(cell.columns):
                    if cell.rows > 1:
                        hanging[len(line)] = (cell.rows - 1, cell.text)
                    line.append(cell.text)
            else:
                break
        lines.append(line)
    return lines


def anchor(text: str) -> str:
    """Words as an id: lower case, a hyphen between two."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
