"""Text cells as an accessible HTML table, folded away where it is long."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import pandas as pd

from analysis._core import mime
from analysis._core.number_words import count

FOLD = 8  # rows above which a table is folded away behind its title

# Notebook editors align every cell to the right, by selectors that outweigh any class; a widget puts cells close
# together and lines far apart. The sheet is the same for all tables, so that a page, which lifts sheets into its head,
# has it once.
SHEET = (
    "<style>.cells :is(td,th,caption){text-align:left!important}.cells .number{text-align:right!important}"
    ".cells td{vertical-align:top!important}.cells caption{font-weight:600}"
    ":where(.cells){border-collapse:collapse;line-height:normal}:where(.cells :is(td,th)){padding:.3em .6em}</style>"
)


@dataclass(frozen=True)
class Table:
    """A finished table: HTML for the report, plain text for a reader without it.

    `bare` is its HTML in sight, `values` are its numbers as numbers, a column for each end of a range. It is folded
    away under `summary`, unless that is empty.
    """

    title: str
    cells: pd.DataFrame
    bare: str
    values: pd.DataFrame
    summary: str = ""

    @property
    def markup(self) -> str:
        """Its HTML."""
        opening = f'<details class="table"><summary>{html.escape(self.summary)}</summary>'
        return f"{opening}{self.bare}</details>" if self.summary else self.bare

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        rows = [" | ".join(row) for row in [self.cells.columns, *self.cells.itertuples(index=False)] if len(row)]
        return {mime.HTML: self.markup, mime.PLAIN: "\n".join([self.title, *rows])}

    def folded(self) -> Table:
        """The same table folded away behind its title, however short; one without rows stays as it is."""
        return self if self.cells.empty else self._under(self.title)

    def beside_figure(self) -> Table:
        """The same table folded away under words that say it holds a figure's numbers."""
        return self._under("The same numbers as a table")

    def unfolded(self) -> Table:
        """The same table in sight, however long."""
        return replace(self, summary="")

    def _under(self, words: str) -> Table:
        return replace(self, summary=f"{words} ({count(len(self.cells), 'row')})")

    def csv(self) -> str:
        """Its values as CSV, numbers to nine digits, with a header."""
        return self.values.to_csv(index=False, float_format="%.9g", lineterminator="\n")


def render(
    cells: pd.DataFrame,
    title: str,
    numeric: Sequence[str] = (),
    values: pd.DataFrame | None = None,
    marks: Mapping[str, Sequence[str]] | None = None,
) -> Table:
    """Text cells under their headers as a table; the columns of `numeric` are right-aligned.

    Markup in a cell, a header or the title is shown, not run. The id comes from title and headers. `values` are the
    same as numbers, for readers that compute with them. `marks` has the signs behind the cells of a column.
    """
    identity = "t" + hashlib.sha256("|".join([title, *cells.columns]).encode()).hexdigest()[:8]
    sides = [' class="number"' if header in numeric else "" for header in cells.columns]
    heads = [f' scope="col"{side}' for side in sides]
    none = [""] * len(cells)
    signs = zip(*((marks or {}).get(header, none) for header in cells.columns), strict=True)
    rows = zip(cells.itertuples(index=False, name=None), signs, strict=True)
    lines = [
        f'{SHEET}<table class="cells" id="{identity}">',
        f"<caption>{_escaped(title)}</caption>",
        f"<thead>{_line('th', heads, cells.columns)}</thead>",
        "<tbody>",
        *(_line("td", sides, row, signs_of_row) for row, signs_of_row in rows),
        "</tbody></table>",
    ]
    table = Table(title, cells, "\n".join(lines), cells if values is None else values)
    return table.folded() if len(cells) > FOLD else table


@dataclass(frozen=True)
class Key:
    """What the signs of a table mean: a line for each, `(sign, words)`."""

    lines: Sequence[tuple[str, str]]

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        signs = [f'<span class="mark">{_escaped(sign)}</span> ' if sign else "" for sign, _ in self.lines]
        items = "".join(f"<li>{sign}{_escaped(words)}</li>" for sign, (_, words) in zip(signs, self.lines, strict=True))
        return {
            mime.HTML: f'<ul class="key">{items}</ul>' if items else "",
            mime.PLAIN: "\n".join(" ".join(filter(None, line)) for line in self.lines),
        }


def empty(title: str) -> Table:
    """The sentence that replaces a table without rows."""
    words = f"{title}: nothing to show for these parameters."
    return Table(words, pd.DataFrame(), f'<p class="nothing">{html.escape(words)}</p>', pd.DataFrame())


def _line(tag: str, attributes: Sequence[str], texts: Iterable[str], signs: Iterable[str] = ()) -> str:
    triples = zip_longest(attributes, texts, signs, fillvalue="")
    cells = (f"<{tag}{attribute}>{_escaped(text)}{_sign(sign)}</{tag}>" for attribute, text, sign in triples)
    return f"<tr>{''.join(cells)}</tr>"


def _sign(marks: str) -> str:
    return f'<sup class="marks">{_escaped(marks)}</sup>' if marks else ""


def _escaped(text: str) -> str:
    return html.escape(str(text), quote=False)
