"""The imported rows of data/official/: loaded, validated, joined with results.csv; importing is analysis.importers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis import validate
from analysis.descriptor import Table
from analysis.paths import OFFICIAL
from analysis.validate import Fault

SAME = ["round", "result_id", "model_run", "scenario"]


def load(path: Path, table: Table) -> tuple[pd.DataFrame, list[Fault]]:
    """One imported file in the columns of `table` and its imported ones, and everything that is wrong with it.

    The index is the line that a row would have in a CSV file: 2 for the first.
    """
    whole = replace(table, path=f"{OFFICIAL.name}/{path.name}", fields=[*table.fields, *table.imported_fields])
    try:
        cells = _cells(path)
    except (OSError, ValueError) as error:
        return pd.DataFrame(), [Fault(whole.path, 0, "", f"cannot be read, import it again: {error}")]
    if list(cells.columns) != whole.columns:
        what = f"its columns are not those of {table.path} and of imported rows; import it again"
        return pd.DataFrame(), [Fault(whole.path, 1, "", what)]
    cells.index = pd.RangeIndex(2, len(cells) + 2)
    columns, found = {}, []
    for field in whole.fields:
        columns[field["name"]], bad = _typed(cells[field["name"]], field["type"])
        found += [Fault(whole.path, row, field["name"], f"is not of type {field['type']}") for row in cells.index[bad]]
    frame = pd.DataFrame(columns)
    return frame, found or validate.faults(whole, frame, as_printed=False)


def joined(results: pd.DataFrame, imported: list[pd.DataFrame]) -> pd.DataFrame:
    """The rows of results.csv and those imported, each result once, by round, result id, model run and scenario.

    A result that stands in both keeps the row of results.csv, with empty cells filled from the imported one: that knows
    the whole round, so it knows also which row says the same again. Index 0, 1, ...
    """
    if not imported:
        return results
    rows = pd.concat(imported, ignore_index=True)
    rows = rows[~(rows.duplicated(SAME) & rows["result_id"].ne("")) & ~rows.duplicated("id")]
    known = _keys(results).to_dict()
    row_of = {key: row for row, key in known.items() if key is not None}
    theirs = _keys(rows)
    twice = theirs.isin(list(row_of))
    filler = rows[twice].set_index(theirs[twice].map(row_of)).reindex(results.index)
    filled = pd.DataFrame({name: _filled(results, filler, name) for name in rows}, index=results.index)
    return pd.concat([filled, rows[~twice]], ignore_index=True)


def _keys(rows: pd.DataFrame) -> pd.Series:
    """The key of each official row with a result id, else None."""
    keyed = rows["origin"].eq("official") & rows["result_id"].ne("")
    values = [tuple(key) if has else None for has, key in zip(keyed, rows[SAME].to_numpy(), strict=True)]
    return pd.Series(values, index=rows.index, dtype="object")


def _filled(rows: pd.DataFrame, filler: pd.DataFrame, name: str) -> pd.Series:
    other = filler[name]
    if name not in rows:
        return other.fillna("") if pd.api.types.is_string_dtype(other) else other
    if pd.api.types.is_bool_dtype(rows[name]):
        return rows[name]
    empty = rows[name].isna() | (rows[name].eq("") if pd.api.types.is_string_dtype(rows[name]) else False)
    return rows[name].where(~(empty & other.notna()), other)


def _cells(path: Path) -> pd.DataFrame:
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    return pd.read_csv(path, dtype="str", keep_default_na=False)


def _typed(cells: pd.Series, kind: str) -> tuple[pd.Series, pd.Series]:
    """The cells in their type, and which are not of it."""
    if kind in ("string", "date"):
        return cells.fillna("").astype("str"), pd.Series(False, index=cells.index)
    if kind == "boolean":
        words = cells.astype("str").str.lower()
        return words.eq("true"), ~words.isin(["true", "false"])
    numbers = pd.to_numeric(cells, errors="coerce").astype("float64")
    bad = numbers.isna() & cells.notna() & cells.astype("str").ne("")
    if kind == "integer":
        bad |= numbers.mod(1).gt(0)
        return numbers.where(~bad).astype("Int64"), bad
    return numbers, bad
