"""What makes a table's cells acceptable: one reader types them and finds every fault, of whatever file they are.

Each check is a small function from a frame to its faults: line, column, and what is wrong there. The frame's index is
the line of each row in its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis._core import interval, unprintable
from analysis._tables.descriptor import Field, Table
from analysis._tables.rules import MISSING, Check, above, check, ruled

FORMULA_STARTS = ("=", "+", "-", "@", "\t")
Found = Iterator[tuple[int, str, str]]


class Fault(NamedTuple):
    """One thing wrong at one place. `row` is the line in the file, the header being line 1; 0 is the whole file."""

    file: str
    row: int
    column: str
    message: str

    def __str__(self) -> str:
        where = f", row {self.row}" if self.row else ""
        where += f", column {self.column}" if self.column else ""
        return f"{self.file}{where}: {self.message}"


def typed(table: Table, cells: pd.DataFrame) -> tuple[pd.DataFrame, list[Fault]]:
    """The cells in their columns' types, and a fault for each cell that is not of its type.

    Cells are texts, "" where empty, or values already, None or NaN where empty. Texts that are missing come out as "",
    numbers as NaN, integers as <NA>.
    """
    columns, wrong = {}, []
    for field in table.fields:
        columns[field.name], bad = _converted(cells[field.name], field.type)
        for row, value in cells[field.name][bad].items():
            wrong.append(Fault(table.path, row, field.name, f"{value!r} is not of type {field.type}"))
    return pd.DataFrame(columns), wrong


def _converted(cells: pd.Series, kind: str) -> tuple[pd.Series, np.ndarray]:
    """The cells in their type, and which are not of it."""
    if kind in ("string", "date"):
        is_text = cells.dtype == "str" and not cells.hasnans
        return cells if is_text else cells.fillna("").astype("str"), np.zeros(len(cells), "bool")
    if kind == "boolean":
        if pd.api.types.is_bool_dtype(cells):
            return cells.astype("bool"), cells.isna().to_numpy()
        return cells.eq("true"), ~cells.isin(["true", "false"]).to_numpy()
    numbers, empty = _numbers(cells)
    values = numbers.to_numpy()
    bad = ~empty & ~np.isfinite(values)
    if kind == "integer":
        bad |= np.isfinite(values) & ((values != np.trunc(values)) | (np.abs(values) > 2**53))
        return numbers.mask(bad).astype("Int64"), bad
    return numbers, bad


def _numbers(cells: pd.Series) -> tuple[pd.Series, np.ndarray]:
    """The cells as numbers, NaN where they are none, and which are empty."""
    if pd.api.types.is_numeric_dtype(cells):
        return cells.astype("float64"), cells.isna().to_numpy()
    empty = (cells.isna() | cells.eq("")).to_numpy()
    return pd.to_numeric(cells.mask(empty), errors="coerce").astype("float64"), empty


def faults(table: Table, frame: pd.DataFrame, as_printed: bool = True) -> list[Fault]:
    """Everything wrong in one typed table, first rows first; `as_printed` False for figures that were corrected."""
    checks = [_cells, _repeated, _order, _above, *([_printed] if as_printed else [])]
    found = (Fault(table.path, *place) for check in checks for place in check(table, frame))
    return sorted(found, key=lambda fault: (fault.row, fault.column))


def dangling(table: Table, frame: pd.DataFrame, frames: dict[str, pd.DataFrame]) -> list[Fault]:
    """References into another table (or this one) that lead nowhere or to their own row; an empty cell is none."""
    return [Fault(table.path, *place) for key in table.foreign_keys for place in _lost(table, frame, frames, key)]


def _lost(table: Table, frame: pd.DataFrame, frames: dict[str, pd.DataFrame], key: dict[str, Any]) -> Found:
    column, resource = frame[key["fields"][0]], key["reference"]["resource"] or table.name
    ids = frames[resource][key["reference"]["fields"][0]]
    known = {"", *ids}
    yield from _judged(column, lambda value: [f"{value!r} is not in {resource}.csv"] if value not in known else [])
    if resource == table.name:
        yield from ((row, column.name, "refers to its own row") for row in column.index[column.eq(ids)])


def _judged(column: pd.Series, judge: Check) -> Found:
    """What `judge` says of the cells of a column that are not missing: of each value once, however often it occurs."""
    words_by_value = {value: words for value in column.dropna().unique().tolist() if (words := judge(value))}
    if words_by_value:
        for row, value in column[column.isin(list(words_by_value))].items():
            yield from ((row, column.name, words) for words in words_by_value[value])


def _cells(table: Table, frame: pd.DataFrame) -> Found:
    """Faults of single cells: by the rules of their column, and of what is no text or no date."""
    for field in table.fields:
        column = frame[field.name]
        if field.required:
            yield from ((row, field.name, MISSING) for row in column.index[column.isna()])
        if ruled(field) and not _within(field, column):
            yield from _judged(column, check(field))
        if field.type in JUDGES:
            yield from _judged(column, JUDGES[field.type])


def _within(field: Field, column: pd.Series) -> bool:
    """Whether all numbers of a column are within the rules, which the least and the greatest of them tell."""
    numbers = column.dropna()
    if field.choices or field.pattern or not pd.api.types.is_numeric_dtype(column):
        return False
    return numbers.empty or not any(map(check(field), (numbers.min(), numbers.max())))


def _repeated(table: Table, frame: pd.DataFrame) -> Found:
    """Keys, and values of a column where each may occur once, that are repeated."""
    for column in (frame[field.name] for field in table.fields if field.unique and [field.name] != table.primary_key):
        again = column[column.duplicated() & column.ne("")]
        yield from ((row, column.name, f"{value!r} stands twice") for row, value in again.items())
    keys = frame.loc[frame.duplicated(table.primary_key), table.primary_key]
    named = ", ".join(table.primary_key)
    yield from ((row, named, f"key {' | '.join(map(str, key))!r} stands twice") for row, *key in keys.itertuples())


def _order(table: Table, frame: pd.DataFrame) -> Found:
    for low, high in table.intervals:
        wrong = (frame[low] > frame[high]) | (frame[low].isna() != frame[high].isna())
        for row, a, b in frame.loc[wrong, [low, high]].itertuples():
            yield row, low, f"low {a:g} and high {b:g} are no range, low to high"


def _above(table: Table, frame: pd.DataFrame) -> Found:
    """Cells that are more than the one of their row that they may not exceed; an empty one exceeds nothing."""
    for field in (field for field in table.fields if field.not_above):
        most = frame[field.not_above]
        wrong = (frame[field.name] > most).fillna(False).astype("bool") & most.ne("").fillna(True).astype("bool")
        pairs = zip(frame.index[wrong], frame.loc[wrong, field.name].tolist(), most[wrong].tolist(), strict=True)
        yield from ((row, field.name, above(field, *pair)) for row, *pair in pairs)


def _no_text(value: str) -> list[str]:
    """What makes a value one that a spreadsheet would run as a formula, or that no page or terminal may be given."""
    if value.startswith(FORMULA_STARTS):
        return [f"{value!r} starts like a spreadsheet formula"]
    character = unprintable.within(value)
    return [f"{value!r} holds {character}, a character that is no text"] if character else []


def _no_date(value: str) -> list[str]:
    try:
        datetime.strptime(value or "2024-08-28", "%Y-%m-%d")
    except ValueError:
        return [f"{value!r} is not a date such as 2024-08-28"]
    return []


JUDGES: dict[str, Check] = {"string": _no_text, "date": _no_date}  # by type of column


def _printed(table: Table, frame: pd.DataFrame) -> Found:
    """`low` and `high` must be the range that `printed` represents.

    It may be kept in a thousandth of the unit (TB/s as GB/s, seconds as milliseconds), a percentage as a fraction,
    and a percentage more or less as a ratio.
    """
    if not {"printed", "range_basis", "low", "high"} <= set(frame.columns):
        return
    rows = frame.loc[frame["printed"].ne("") & frame["low"].notna(), ["printed", "range_basis", "low", "high"]]
    for row, *figure in rows.itertuples():
        if message := _disagreement(*figure):
            yield row, "printed", message


def _disagreement(printed: str, basis: str, low: float, high: float) -> str:
    try:
        stated = interval.from_printed(printed, basis)
    except ValueError as error:
        return str(error)
    kept_as = [
        (stated.low * factor + shift, stated.high * factor + shift)
        for shift, factor in [(0, 1), (0, 1000), (0, 0.01), (1, 0.01)]
    ]
    kept_as.append((1 - stated.high / 100, 1 - stated.low / 100))
    if any(np.allclose([low, high], pair, rtol=1e-9, atol=0) for pair in kept_as):
        return ""
    return f"{printed!r} ({basis}) stands for {stated.low:g} to {stated.high:g}, not for {low:g} to {high:g}"
