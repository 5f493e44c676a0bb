"""Text cells as an accessible HTML table, folded away where it is long; choosing or wording rows is not done here."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Sequence

import pandas as pd
from great_tables import GT, loc, style

FOLD = 8  # rows above which a table is folded away behind its title
SIGN = "\u26a0\ufe0e"  # in front of a caveat, as text and not as a coloured picture
BESIDE = "analysis/numbers"  # the metadata that marks a table as the numbers of the figure before it


class Table:
    """A finished table: HTML for the report, plain text for a reader without it."""

    def __init__(self, title: str, cells: pd.DataFrame, bare: str, folded: str = "") -> None:
        self.title, self.cells, self.bare = title, cells, bare
        summary = folded or (f"{title} ({len(cells)} rows)" if len(cells) > FOLD else "")
        opening = f'<details class="table"><summary>{html.escape(summary)}</summary>'
        self.markup = f"{opening}{bare}</details>" if summary else bare

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        rows = [" | ".join(row) for row in [self.cells.columns, *self.cells.itertuples(index=False)] if len(row)]
        return {"text/html": self.markup, "text/plain": "\n".join([self.title, *rows])}

    def beside_figure(self) -> Table:
        """The same table folded away under words that say it holds a figure's numbers."""
        rows = "row" if len(self.cells) == 1 else "rows"
        return Table(self.title, self.cells, self.bare, f"The same numbers as a table ({len(self.cells)} {rows})")


def render(cells: pd.DataFrame, title: str, numeric: Sequence[str] = ()) -> Table:
    """Text cells under their headers as a table; the columns of `numeric` are right-aligned.

    Markup in a cell, a header or the title is shown, not run. The id comes from title and headers.
    """
    identity = "t" + hashlib.sha256("|".join([title, *cells.columns]).encode()).hexdigest()[:8]
    table = GT(cells, id=identity).tab_header(title=title).cols_align("left")
    table = table.cols_align("right", columns=list(numeric)) if numeric else table
    table = table.tab_options(table_font_size="0.875rem", table_width="100%", heading_align="left")
    table = table.tab_style(style.text(weight="bold"), loc.column_labels())
    return Table(title, cells, table.as_raw_html())


def empty(title: str) -> Table:
    """The sentence that stands in place of a table without rows."""
    said = f"{title}: nothing to show for these parameters."
    return Table(said, pd.DataFrame(), f'<p class="nothing">{html.escape(said)}</p>')


def marked(caveat: str) -> str:
    """A caveat with its sign in front; an empty one stays empty."""
    return f"{SIGN} {caveat}" if caveat else ""
