"""What a figure shows, told without it: its alt text and the table of the same numbers; nothing is drawn here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from analysis.core import interval
from analysis.show import cells
from analysis.show.cells import Table

Told = tuple[str, Table]
HEADINGS = {"words": "What", "on_front": "On the front"}


def ranges(
    rows: pd.DataFrame, *, label: str, series: str, name: str, axis: str, title: str, note: str = "", **_: object
) -> Told:
    """One interval `name` per row, which `label` and `series` name; caveats of the rows go into the table."""
    said = [interval.text(low, high) for low, high in _ends(rows, name)]
    names = zip(rows[label], rows[series], said, strict=True)
    alt = _one_line(f"{title} Ranges, {axis}: {'; '.join(f'{what} ({who}) {number}' for what, who, number in names)}.")
    columns = {_heading(label): rows[label], _heading(series): rows[series], _capital(axis): said}
    return alt, _table(title, columns | _more(rows, note), [_capital(axis)])


def beside(
    rows: pd.DataFrame,
    *,
    label: str,
    name: str,
    others: Mapping[str, str],
    legend: str,
    axis: str,
    title: str,
    note: str = "",
    **_: object,
) -> Told:
    """The interval `name`, called `legend`, and the intervals `others` of each row."""
    words = {
        called: [interval.text(low, high) for low, high in _ends(rows, each)]
        for each, called in {name: legend, **others}.items()
    }
    told = [
        f"{what}: {', '.join(f'{called} {said[place]}' for called, said in words.items())}"
        for place, what in enumerate(rows[label])
    ]
    columns = {_heading(label): rows[label], **{f"{_capital(called)} ({axis})": said for called, said in words.items()}}
    table = _table(title, columns | _more(rows, note), list(columns)[1:])
    return _one_line(f"{title} Ranges, {axis}: {'; '.join(told)}."), table


def points(
    rows: pd.DataFrame,
    *,
    x: str,
    y: str,
    label: str,
    x_axis: str,
    y_axis: str,
    title: str,
    front: str = "",
    **_: object,
) -> Told:
    """Two intervals per named row."""
    across, up = ([interval.text(low, high) for low, high in _ends(rows, each)] for each in (x, y))
    told = "; ".join(f"{what} {i} and {j}" for what, i, j in zip(rows[label], across, up, strict=True))
    columns = {_heading(label): rows[label], _capital(x_axis): across, _capital(y_axis): up}
    more = {_heading(front): ["yes" if filled else "no" for filled in rows[front]]} if front else {}
    table = _table(title, columns | more, list(columns)[1:])
    return f"{title} Points, {x_axis} and {y_axis}: {told}.", table


def grid(words: pd.DataFrame, title: str) -> Told:
    """The words of a heat map's cells; an empty one is missing."""
    told = [
        f"{row}, {column} {words.at[row, column]}" for row in words.index for column in words if words.at[row, column]
    ]
    alt = f"{title} Heat map of {len(told)} cells: {'; '.join(told)}."
    return alt, _table(title, {"Row": words.index, **words}, [str(column) for column in words])


def marks(found: Mapping[str, Sequence[float]], percentiles: Sequence[float], draws: int, title: str) -> Told:
    """The percentiles of each quantity that is drawn as a histogram."""
    names = [f"P{each:g}" for each in percentiles]
    words = {quantity: [interval.number(mark) for mark in values] for quantity, values in found.items()}
    told = [
        f"{quantity}: {', '.join(map(' '.join, zip(names, said, strict=True)))}" for quantity, said in words.items()
    ]
    columns = {"Quantity": list(words), **dict(zip(names, zip(*words.values(), strict=True), strict=True))}
    return f"{title} Histograms of {draws:,} draws. {'; '.join(told)}.", _table(title, columns, names)


def bars(rows: pd.DataFrame, label: str, value: str, axis: str, title: str) -> Told:
    """One number per row, with two digits behind the point."""
    said = [f"{number:.2f}" for number in rows[value]]
    told = "; ".join(map(" ".join, zip(rows[label], said, strict=True)))
    columns = {_heading(label): rows[label], _capital(axis): said}
    return f"{title} Bars, {axis}: {told}.", _table(title, columns, [_capital(axis)])


def _table(title: str, columns: Mapping[str, Sequence[str]], numeric: Sequence[str]) -> Table:
    lines = {name: [", ".join(str(value).splitlines()) for value in values] for name, values in columns.items()}
    return cells.render(pd.DataFrame(lines, dtype="str"), title, numeric)


def _more(rows: pd.DataFrame, note: str) -> dict[str, Sequence[str]]:
    """The column of notes, and that of caveats where a row has one."""
    notes = {_heading(note): rows[note]} if note else {}
    if "caveat" in rows and rows["caveat"].ne("").any():
        return notes | {"Caveat": rows["caveat"].map(cells.marked)}
    return notes


def _ends(rows: pd.DataFrame, name: str) -> zip:
    ends = interval.of(rows, name)
    return zip(np.asarray(ends.low), np.asarray(ends.high), strict=True)


def _heading(column: str) -> str:
    return HEADINGS.get(column) or _capital(column.replace("_", " "))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _one_line(text: str) -> str:
    return " ".join(text.split())
