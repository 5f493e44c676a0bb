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
    fixes = corrections[corrections["table"].eq(table.name)]
    cells = correct(cells.assign(corrected=""), fixes, table.primary_key[0], table.path)
    return checked(table, cells, as_printed=False).assign(corrected=cells["corrected"])


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


def correct(rows: pd.DataFrame, fixes: pd.DataFrame, key: str, called: str) -> pd.DataFrame:
    """The rows with some corrections applied, by their column `key`, the reasons behind those in `corrected`.

    Raises TableError, by what the table is `called`, for a correction of a row or text column that is not there, or
    whose `printed` differs.
    """
    keys = rows.loc[rows[key].isin(fixes["key"]), key]
    places = {value: place for place, value in keys[~keys.duplicated(keep=False)].items()}
    columns = {name: rows[name].copy() for name in {*fixes["column"], "corrected"} if name in rows}
    for line, fix in fixes.iterrows():
        cells, place = columns.get(fix["column"]), places.get(fix["key"])
        if cells is None or place is None or cells[place] != fix["printed"]:
            words = f"{called} has no row {fix['key']!r} whose {fix['column']} is {fix['printed']!r}"
            raise TableError([Fault("corrections.csv", line, "printed", words)])
        cells[place] = fix["corrected"]
        if fix["column"] not in SELF_TOLD:
            columns["corrected"][place] = "; ".join(filter(None, [columns["corrected"][place], fix["reason"]]))
    return rows.assign(**columns)


def _records(folder: Path, table: Table) -> tuple[list[int], list[list[str]]]:
    """The line at which each record starts, and its cells."""
    try:
        text = utf8((folder / table.path).read_bytes())
    except OSError as error:
        raise TableError([Fault(table.path, 0, "", f"cannot be read: {error.strerror}")]) from None
    except NotUtf8 as error:
        raise TableError([Fault(table.path, error.line, "", str(error))]) from None
    reader, lines, records = csv.reader(io.StringIO(text, newline=""), strict=True), [1], []
    try:
        for record in reader:
            records.append(record)
            lines.append(reader.line_num + 1)
    except csv.Error as error:
        words = f"is not a comma-separated table: {error}"
        raise TableError([Fault(table.path, lines[-1], "", words)]) from None
    return lines[:-1], records
