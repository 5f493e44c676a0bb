"""Text cells as an accessible HTML table, folded away where it is long."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Iterable, Sequence

import pandas as pd

from analysis.core import notes as wording
from analysis.core.notes import SIGN, Notes

FOLD = 8  # rows above which a table is folded away behind its title
AS_TEXT = "\ufe0e"  # behind a sign: as text, not as a coloured picture
BESIDE = "analysis/numbers"  # the metadata that marks a table as the numbers of the figure before it

# Notebook editors align every cell to the right, by selectors that outweigh any class; a widget puts cells close
# together and lines far apart. The sheet is the same for all tables, so that a page, which lifts sheets into its head,
# has it once.
SHEET = (
    "<style>.cells :is(td,th,caption){text-align:left!important}.cells .number{text-align:right!important}"
    ".cells td{vertical-align:top!important}.cells caption{font-weight:600}"
    ":where(.cells){border-collapse:collapse;line-height:normal}:where(.cells :is(td,th)){padding:.3em .6em}</style>"
)


class Table:
    """A finished table: HTML for the report, plain text for a reader without it."""

    def __init__(self, title: str, cells: pd.DataFrame, bare: str, folded: str = "") -> None:
        self.title, self.cells, self.bare = title, cells, bare
        summary = folded or (_counted(title, cells) if len(cells) > FOLD else "")
        opening = f'<details class="table"><summary>{html.escape(summary)}</summary>'
        self.markup = f"{opening}{bare}</details>" if summary else bare

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        rows = [" | ".join(row) for row in [self.cells.columns, *self.cells.itertuples(index=False)] if len(row)]
        return {"text/html": self.markup, "text/plain": "\n".join([self.title, *rows])}

    def folded(self) -> Table:
        """The same table folded away behind its title, however short; one without rows stays as it is."""
        return Table(self.title, self.cells, self.bare, _counted(self.title, self.cells)) if len(self.cells) else self

    def beside_figure(self) -> Table:
        """The same table folded away under words that say it holds a figure's numbers."""
        return Table(self.title, self.cells, self.bare, _counted("The same numbers as a table", self.cells))


def render(cells: pd.DataFrame, title: str, numeric: Sequence[str] = ()) -> Table:
    """Text cells under their headers as a table; the columns of `numeric` are right-aligned.

    Markup in a cell, a header or the title is shown, not run. The id comes from title and headers.
    """
    identity = "t" + hashlib.sha256("|".join([title, *cells.columns]).encode()).hexdigest()[:8]
    marks = [' class="number"' if header in numeric else "" for header in cells.columns]
    heads = [f' scope="col"{mark}' for mark in marks]
    lines = [
        f'{SHEET}<table class="cells" id="{identity}">',
        f"<caption>{_escaped(title)}</caption>",
        f"<thead>{_line('th', heads, cells.columns)}</thead>",
        "<tbody>",
        *(_line("td", marks, row) for row in cells.itertuples(index=False, name=None)),
        "</tbody></table>",
    ]
    return Table(title, cells, "\n".join(lines))


def empty(title: str) -> Table:
    """The sentence that stands in place of a table without rows."""
    words = f"{title}: nothing to show for these parameters."
    return Table(words, pd.DataFrame(), f'<p class="nothing">{html.escape(words)}</p>')


def noted(notes: Notes) -> str:
    """The notes of a row in words with the sign in front; "" where there are none."""
    return f"{SIGN}{AS_TEXT} {wording.worded(notes)}" if notes else ""


def _counted(title: str, cells: pd.DataFrame) -> str:
    return f"{title} ({len(cells)} {'row' if len(cells) == 1 else 'rows'})"


def _line(tag: str, attributes: Sequence[str], texts: Iterable[str]) -> str:
    pairs = zip(attributes, texts, strict=True)
    return "<tr>" + "".join(f"<{tag}{given}>{_escaped(text)}</{tag}>" for given, text in pairs) + "</tr>"


def _escaped(text: str) -> str:
    return html.escape(str(text), quote=False)
