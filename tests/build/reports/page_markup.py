"""What a page holds, by the standard parser: the tags with their attributes, and the text as it is read."""

from html.parser import HTMLParser

BLOCKS = {"p", "li", "div", "ul", "ol", "br", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table"}


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

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._edge(tag, 0)

    def handle_endtag(self, tag: str) -> None:
        self._edge(tag, -1)

    def handle_data(self, data: str) -> None:
        if self._unseen <= 0:
            self._blocks[-1] += data

    def _edge(self, tag: str, step: int) -> None:
        if tag in {"style", "script"}:
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

    @property
    def ids(self) -> list[str]:
        """The value of every `id`, in order, repeated ones too."""
        return [attributes["id"] or "" for _, attributes in self.tags if "id" in attributes]
