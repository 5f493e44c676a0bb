"""What makes a table's cells acceptable: one reader types them and finds every fault, of whatever file they are.

Each check is a small function from a frame to a list of faults. A fault names the file, the line and the column; the
frame's index is the line of each row in its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis._core import interval, unprintable
from analysis._tables.descriptor import Field, Table
from analysis._tables.rules import MISSING, above, check, ruled

FORMULA_STARTS = ("=", "+", "-", "@", "\t")


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
        values = cells[field.name]
        columns[field.name], bad = _converted(values, field.type)
        if bad.any():
            wrong += [
                Fault(table.path, row, field.name, f"{value!r} is not of type {field.type}")
                for row, value in values[bad].items()
            ]
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
    wrong = [*_cells(table, frame), *_repeated(table, frame), *_duplicates(table, frame), *_order(table, frame)]
    wrong += [*_above(table, frame), *_texts(table, frame), *_dates(table, frame)]
    wrong += _printed(table, frame) if as_printed else []
    return sorted(wrong, key=lambda fault: (fault.row, fault.column))


def dangling(table: Table, frame: pd.DataFrame, frames: dict[str, pd.DataFrame]) -> list[Fault]:
    """References into another table (or this one) that lead nowhere or to their own row; an empty cell is none."""
    wrong = []
    for key in table.foreign_keys:
        column, target = key["fields"][0], key["reference"]
        resource = target["resource"] or table.name
        ids = set(frames[resource][target["fields"][0]])
        lost = [value for value in frame[column].unique() if value and value not in ids]
        wrong += [
            Fault(table.path, row, column, f"{value!r} is not in {resource}.csv")
            for row, value in _rows(frame[column], lost)
        ]
        to_itself = frame[column].eq(frame[target["fields"][0]]) if resource == table.name else pd.Series(dtype="bool")
        wrong += [Fault(table.path, row, column, "refers to its own row") for row in to_itself.index[to_itself]]
    return wrong


def _rows(column: pd.Series, values: list[Any]) -> Iterator[tuple[int, Any]]:
    """The lines at which one of these values is in a column, with it."""
    return column[column.isin(values)].items() if values else iter(())


def _cells(table: Table, frame: pd.DataFrame) -> list[Fault]:
    """Faults of single cells; each value of a column is judged once, however often it occurs."""
    wrong_cells = []
    for field in table.fields:
        if not ruled(field):
            continue
        faults_in, column = check(field), frame[field.name]
        if field.required and column.hasnans:
            wrong_cells += [Fault(table.path, row, field.name, MISSING) for row in column.index[column.isna()]]
        judged = {value: words for value in _to_judge(field, column) if (words := faults_in(value))}
        wrong_cells += [
            Fault(table.path, row, field.name, words)
            for row, value in _rows(column, list(judged))
            for words in judged[value]
        ]
    return wrong_cells


def _to_judge(field: Field, column: pd.Series) -> list[Any]:
    """The values of a column of which one may be wrong, each once: all where a rule says which are right."""
    if field.choices or field.pattern:
        return column.dropna().unique().tolist()
    if not pd.api.types.is_numeric_dtype(column):
        return [""] if column.eq("").any() else []
    beyond = pd.Series(False, index=column.index)
    if field.minimum is not None:
        beyond |= column < field.minimum
    if field.more_than is not None:
        beyond |= column <= field.more_than
    if field.maximum is not None:
        beyond |= column > field.maximum
    return column[beyond].unique().tolist()


def _repeated(table: Table, frame: pd.DataFrame) -> list[Fault]:
    """Values that are repeated in a column where each may occur once; of a key that is _duplicates' to say."""
    columns = [field.name for field in table.fields if field.unique and [field.name] != table.primary_key]
    return [
        Fault(table.path, row, column, f"{value!r} stands twice")
        for column in columns
        for row, value in frame.loc[frame.duplicated(column) & frame[column].ne(""), column].items()
    ]


def _duplicates(table: Table, frame: pd.DataFrame) -> list[Fault]:
    keys = frame.loc[frame.duplicated(table.primary_key), table.primary_key]
    column = ", ".join(table.primary_key)
    return [Fault(table.path, row, column, f"key {' | '.join(key)!r} stands twice") for row, *key in keys.itertuples()]


def _order(table: Table, frame: pd.DataFrame) -> list[Fault]:
    reversed_ends = []
    for low, high in table.intervals:
        wrong = (frame[low] > frame[high]) | (frame[low].isna() != frame[high].isna())
        reversed_ends += [
            Fault(table.path, row, low, f"low {a:g} and high {b:g} are no range, low to high")
            for row, a, b in frame.loc[wrong, [low, high]].itertuples()
        ]
    return reversed_ends


def _above(table: Table, frame: pd.DataFrame) -> list[Fault]:
    """Cells that are more than the one of their row that they may not exceed; an empty one exceeds nothing."""
    beyond = []
    for field in (field for field in table.fields if field.not_above):
        most = frame[field.not_above]
        wrong = (frame[field.name] > most).fillna(False).astype("bool") & most.ne("").fillna(True).astype("bool")
        pairs = zip(frame.index[wrong], frame.loc[wrong, field.name].tolist(), most[wrong].tolist(), strict=True)
        beyond += [Fault(table.path, row, field.name, above(field, *pair)) for row, *pair in pairs]
    return beyond


def _texts(table: Table, frame: pd.DataFrame) -> list[Fault]:
    """Text cells that a spreadsheet would run as a formula, or that hold what no page or terminal may be given."""
    wrong = []
    for column in (frame[field.name] for field in table.fields if field.type == "string"):
        judged = {value: words for value in column.unique() if (words := _no_text(value))}
        wrong += [Fault(table.path, row, column.name, judged[value]) for row, value in _rows(column, list(judged))]
    return wrong


def _no_text(value: str) -> str:
    """What keeps a value from being text, in words; nothing, most of the time."""
    if value.startswith(FORMULA_STARTS):
        return f"{value!r} starts like a spreadsheet formula"
    character = unprintable.within(value)
    return f"{value!r} holds {character}, a character that is no text" if character else ""


def _dates(table: Table, frame: pd.DataFrame) -> list[Fault]:
    undated = []
    for column in [field.name for field in table.fields if field.type == "date"]:
        parsed = pd.to_datetime(frame[column], format="%Y-%m-%d", errors="coerce")
        wrong = frame[column].ne("") & parsed.isna()
        undated += [
            Fault(table.path, row, column, f"{value!r} is not a date such as 2024-08-28")
            for row, value in frame.loc[wrong, column].items()
        ]
    return undated


def _printed(table: Table, frame: pd.DataFrame) -> list[Fault]:
    """`low` and `high` must be the range that `printed` represents.

    It may be kept in a thousandth of the unit (TB/s as GB/s, seconds as milliseconds), a percentage as a fraction,
    and a percentage more or less as a ratio.
    """
    if not {"printed", "range_basis", "low", "high"} <= set(frame.columns):
        return []
    rows = frame[frame["printed"].ne("") & frame["low"].notna()]
    disagreeing = []
    for row, printed, basis, low, high in rows[["printed", "range_basis", "low", "high"]].itertuples():
        message = _disagreement(printed, basis, low, high)
        disagreeing += [Fault(table.path, row, "printed", message)] if message else []
    return disagreeing


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
