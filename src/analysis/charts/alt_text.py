"""What a figure shows, in words: its alt text and the table of the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from analysis._core import html_table, interval, notes
from analysis._core.html_table import Table
from analysis._core.interval import Interval

HEADINGS = {"words": "What", "on_front": "On the front"}


class Column(NamedTuple):
    """One column of a figure's words: a formatted text per row, numbers as they are drawn where it is `numeric`.

    `ends` are the ranges that the texts tell, where they do.
    """

    header: str
    texts: Sequence[str]
    numeric: bool = False
    ends: Interval | None = None

    def values(self) -> dict[str, Sequence[Any]]:
        """The column as numbers by name, a range as two of them; as its words, lines joined, where it has none."""
        if self.ends is not None:
            return {f"{self.header}, low": list(self.ends.low), f"{self.header}, high": list(self.ends.high)}
        return {self.header: _on_one_line(self.texts)}


@dataclass(frozen=True)
class Description:
    """What a figure shows, once: `columns` are its table, and `spoken` makes of a row's texts its part of the alt text.

    `opening` says the kind of figure, its quantities and units. `spoken` takes the texts of one row in the order of
    the columns, all of the same length, and gives "" for a row that the alt text leaves out.
    """

    opening: str
    columns: Sequence[Column]
    spoken: Callable[..., str]

    def alt(self, title: str) -> str:
        """The title, the opening and the rows, as one line."""
        rows = zip(*(column.texts for column in self.columns), strict=True)
        listing = "; ".join(filter(None, (self.spoken(*row) for row in rows)))
        return " ".join(f"{title.removesuffix('.')}. {self.opening} {listing}{'.' if listing else ''}".split())

    def table(self, title: str) -> Table:
        """The columns joined, lines of one text joined by commas."""
        frame = pd.DataFrame(dict(enumerate(_on_one_line(column.texts) for column in self.columns)), dtype="str")
        frame.columns = [column.header for column in self.columns]
        values = pd.DataFrame({name: numbers for column in self.columns for name, numbers in column.values().items()})
        return html_table.render(frame, title, [column.header for column in self.columns if column.numeric], values)


def listed(form: str, names: Iterable[str]) -> Callable[..., str]:
    """What makes of a row's label and texts its part of the alt text: each text beside its name, put as `form` says."""
    headings = list(names)
    return lambda row, *texts: f"{row}: {', '.join(map(form.format, headings, texts))}"


def whole(rows: pd.DataFrame, column: str, axis: str) -> Column:
    """A column of whole numbers under the quantity and unit of its axis."""
    return Column(capital(axis), [f"{number:,.0f}" for number in rows[column]], numeric=True)


def words(rows: pd.DataFrame, column: str) -> Column:
    """A column of words under its heading."""
    return Column(heading(column), rows[column])


def ranges(rows: pd.DataFrame, name: str, axis: str) -> Column:
    """The interval `name` of each row under the quantity and unit of its axis."""
    ends = interval.of(rows, name)
    texts = [interval.text(low, high) for low, high in zip(ends.low, ends.high, strict=True)]
    return Column(capital(axis), texts, numeric=True, ends=ends)


def remarks(rows: pd.DataFrame, note: str) -> list[Column]:
    """The column of words `note` if asked for, and that of caveats where a row has one."""
    columns = [words(rows, note)] if note else []
    if "notes" in rows and rows["notes"].map(bool).any():
        columns.append(Column("Caveat", rows["notes"].map(notes.worded)))
    return columns


def heading(column: str) -> str:
    """What a column of a frame is called above a table."""
    return HEADINGS.get(column) or capital(column.replace("_", " "))


def capital(text: str) -> str:
    """The text with its first letter as a capital, the others as they are."""
    return text[:1].upper() + text[1:]


def _on_one_line(texts: Sequence[str]) -> list[str]:
    return [", ".join(str(text).splitlines()) for text in texts]
