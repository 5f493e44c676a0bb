"""One table file as a typed, validated frame, put right by corrections; what tables mean together is catalog.py's."""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path

import pandas as pd

from analysis.data import validate
from analysis.data.descriptor import Table
from analysis.data.validate import Fault


class TableError(ValueError):
    """A table cannot be used. `faults` says where and why; the text lists the first twenty."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = faults
        more = f"\n... and {len(faults) - 20} more" if len(faults) > 20 else ""
        super().__init__("\n".join(map(str, faults[:20])) + more)


def load(folder: Path, table: Table, corrections: pd.DataFrame | None = None) -> pd.DataFrame:
    """One table, typed and validated by itself; as printed, or put right by `corrections`.

    The index is the line of each row in the file. With corrections a column `corrected` holds the reasons ("" where
    none). Raises TableError.
    """
    cells = read(folder, table)
    reasons = pd.Series("", index=cells.index, dtype="str")
    if corrections is not None:
        cells, reasons = correct(cells, table, corrections)
    frame, faults = typed(table, cells)
    faults = faults or validate.faults(table, frame, as_printed=corrections is None)
    if faults:
        raise TableError(faults)
    return frame if corrections is None else frame.assign(corrected=reasons)


def read(folder: Path, table: Table) -> pd.DataFrame:
    """The cells as text, by line. Raises TableError where the file is missing, not UTF-8, or not this table."""
    lines, records = _records(folder, table)
    if not records or records[0] != table.columns:
        expected, found = ",".join(table.columns), ",".join(records[0]) if records else "an empty file"
        raise TableError([Fault(table.path, 1, "", f"the header must be {expected}; found {found}")])
    ragged = [
        Fault(table.path, line, "", f"{len(cells)} cells where the header has {len(table.columns)}")
        for line, cells in zip(lines[1:], records[1:], strict=True)
        if len(cells) != len(table.columns)
    ]
    if ragged:
        raise TableError(ragged)
    return pd.DataFrame(records[1:], columns=table.columns, index=lines[1:], dtype="str")


def typed(table: Table, cells: pd.DataFrame) -> tuple[pd.DataFrame, list[Fault]]:
    """The cells in their columns' types, and a fault for each cell that is not of its type."""
    columns, faults = {}, []
    for field in table.fields:
        values, bad = _convert(cells[field["name"]], field["type"])
        columns[field["name"]] = values
        faults += [
            Fault(table.path, row, field["name"], f"{value!r} is not of type {field['type']}")
            for row, value in cells.loc[bad, field["name"]].items()
        ]
    return pd.DataFrame(columns), faults


def correct(cells: pd.DataFrame, table: Table, corrections: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """The cells with the table's corrections applied, and their reasons by line ("" where none).

    Raises TableError for a correction of a row or column that is not there, or whose `printed` is not what stands.
    """
    cells, reasons = cells.copy(), pd.Series("", index=cells.index, dtype="str")
    keys = cells[table.primary_key[0]]
    for line, fix in corrections[corrections["table"].eq(table.name)].iterrows():
        place = cells.index[keys.eq(fix["key"])]
        if len(place) != 1 or fix["column"] not in cells or cells.at[place[0], fix["column"]] != fix["printed"]:
            raise TableError([Fault("corrections.csv", line, "printed", _lost(table, fix))])
        cells.at[place[0], fix["column"]] = fix["corrected"]
        reasons[place[0]] = "; ".join(filter(None, [reasons[place[0]], fix["reason"]]))
    return cells, reasons


def sha256(path: Path) -> str:
    """The file's SHA-256 in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _records(folder: Path, table: Table) -> tuple[list[int], list[list[str]]]:
    """The line at which each record starts, and its cells."""
    try:
        text = (folder / table.path).read_bytes().decode("utf-8")
    except OSError as error:
        raise TableError([Fault(table.path, 0, "", f"cannot be read: {error.strerror}")]) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise TableError([Fault(table.path, line, "", "is not UTF-8; save the file as UTF-8 text")]) from None
    reader, lines, records = csv.reader(io.StringIO(text, newline=""), strict=True), [], []
    try:
        while True:
            lines.append(reader.line_num + 1)
            records.append(next(reader))
    except StopIteration:
        return lines[:-1], records
    except csv.Error as error:
        what = f"is not a comma-separated table: {error}"
        raise TableError([Fault(table.path, lines[-1], "", what)]) from None


def _convert(cells: pd.Series, kind: str) -> tuple[pd.Series, pd.Series]:
    if kind in ("string", "date"):
        return cells, pd.Series(False, index=cells.index)
    if kind == "boolean":
        return cells.eq("true"), ~cells.isin(["true", "false"])
    numbers = pd.to_numeric(cells.where(cells.ne("")), errors="coerce").astype("float64")
    bad = cells.ne("") & (numbers.isna() | numbers.abs().eq(float("inf")))
    if kind == "integer":
        bad |= numbers.notna() & (numbers.mod(1).ne(0) | numbers.abs().gt(2**53))
        return numbers.where(~bad).astype("Int64"), bad
    return numbers, bad


def _lost(table: Table, fix: pd.Series) -> str:
    return f"{table.path} has no row {fix['key']!r} whose {fix['column']} is {fix['printed']!r}"
