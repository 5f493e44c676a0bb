"""One table file as a typed, validated frame, corrected by corrections."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd

from analysis._core.file_contents import NotUtf8, utf8
from analysis._core.table_text import UnusableTable
from analysis._tables import schema
from analysis._tables.descriptor import Table
from analysis._tables.schema import Fault

SELF_TOLD = ("precision", "precision_basis")  # the basis says already where a precision is known from


class TableError(UnusableTable):
    """A table cannot be used. `faults` says where and why; the text lists the first twenty."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = faults
        more = f"\n... and {len(faults) - 20} more" if len(faults) > 20 else ""
        super().__init__("\n".join(map(str, faults[:20])) + more)


def load(folder: Path, table: Table, corrections: pd.DataFrame | None = None) -> pd.DataFrame:
    """One table, typed and checked by itself; as printed, or corrected by `corrections`.

    The index is the line of each row in the file. With corrections a column `corrected` holds the reasons ("" where
    none). Raises TableError.
    """
    cells = read_cells(folder, table)
    if corrections is None:
        return checked(table, cells)
    cells, reasons = correct(cells, table, corrections)
    return checked(table, cells, as_printed=False).assign(corrected=reasons)


def checked(table: Table, cells: pd.DataFrame, as_printed: bool = True) -> pd.DataFrame:
    """The cells in their types, by line. Raises TableError with all that is wrong, types first (see schema.faults)."""
    frame, faults = schema.typed(table, cells)
    if faults := faults or schema.faults(table, frame, as_printed):
        raise TableError(faults)
    return frame


def read_cells(folder: Path, table: Table) -> pd.DataFrame:
    """The cells by line: as text, or as a Parquet file holds them, whose first row counts as line 2.

    Raises TableError where the file is missing, cannot be read, or is not this table.
    """
    if table.path.endswith(".parquet"):
        return _parquet(folder, table)
    lines, records = _records(folder, table)
    _same_columns(table, records[0] if records else [])
    ragged = [
        Fault(table.path, line, "", f"{len(cells)} cells where the header has {len(table.columns)}")
        for line, cells in zip(lines[1:], records[1:], strict=True)
        if len(cells) != len(table.columns)
    ]
    if ragged:
        raise TableError(ragged)
    return pd.DataFrame(records[1:], columns=table.columns, index=lines[1:], dtype="str")


def _parquet(folder: Path, table: Table) -> pd.DataFrame:
    try:
        cells = pd.read_parquet(folder / table.path)
    except (OSError, ValueError) as error:
        raise TableError([Fault(table.path, 0, "", f"cannot be read: {error}")]) from None
    _same_columns(table, list(cells.columns))
    return cells.set_axis(pd.RangeIndex(2, len(cells) + 2))


def _same_columns(table: Table, columns: list[str]) -> None:
    if columns != table.columns:
        expected, actual = ",".join(table.columns), ",".join(map(str, columns)) or "an empty file"
        raise TableError([Fault(table.path, 1, "", f"the header must be {expected}; found {actual}")])


def correct(cells: pd.DataFrame, table: Table, corrections: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """The cells with the table's corrections applied, and their reasons by line ("" where none).

    Raises TableError for a correction of a row or column that is not there, or whose `printed` differs.
    """
    cells, reasons = cells.copy(), pd.Series("", index=cells.index, dtype="str")
    keys = cells[table.primary_key[0]]
    for line, fix in corrections[corrections["table"].eq(table.name)].iterrows():
        place = cells.index[keys.eq(fix["key"])]
        if len(place) != 1 or fix["column"] not in cells or cells.at[place[0], fix["column"]] != fix["printed"]:
            raise TableError([Fault("corrections.csv", line, "printed", _lost(table, fix))])
        cells.at[place[0], fix["column"]] = fix["corrected"]
        if fix["column"] not in SELF_TOLD:
            reasons[place[0]] = "; ".join(filter(None, [reasons[place[0]], fix["reason"]]))
    return cells, reasons


def _records(folder: Path, table: Table) -> tuple[list[int], list[list[str]]]:
    """The line at which each record starts, and its cells."""
    try:
        text = utf8((folder / table.path).read_bytes())
    except OSError as error:
        raise TableError([Fault(table.path, 0, "", f"cannot be read: {error.strerror}")]) from None
    except NotUtf8 as error:
        raise TableError([Fault(table.path, error.line, "", str(error))]) from None
    reader, lines, records = csv.reader(io.StringIO(text, newline=""), strict=True), [], []
    try:
        while True:
            lines.append(reader.line_num + 1)
            records.append(next(reader))
    except StopIteration:
        return lines[:-1], records
    except csv.Error as error:
        words = f"is not a comma-separated table: {error}"
        raise TableError([Fault(table.path, lines[-1], "", words)]) from None


def _lost(table: Table, fix: pd.Series) -> str:
    return f"{table.path} has no row {fix['key']!r} whose {fix['column']} is {fix['printed']!r}"
