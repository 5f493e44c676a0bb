"""What a piece of HTML holds (text, tables, ids), found with the standard parser; the id that words give."""

import re
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


class _FrameReader(HTMLParser):
    """The texts of a table's cells, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td") and self.rows:
            spans = int(dict(attrs).get("colspan") or 1)
            self.rows[-1] += [""] * spans
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag not in ("th", "td", "tr")

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.rows[-1][-1] += data


def frame_cells(html: str) -> list[list[str]]:
    """The cells of a pandas table as text, the heads first; [] where its rows differ in length, as over merged rows."""
    reader = _FrameReader()
    reader.feed(html)
    rows = [row for row in reader.rows if row]
    return rows if rows and len({len(row) for row in rows}) == 1 else []


def anchor(text: str) -> str:
    """Words as an id: lower case, a hyphen between two."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
