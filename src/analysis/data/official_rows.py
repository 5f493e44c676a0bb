"""The imported rows of data/official/: loaded, validated, joined with results.csv."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis.data import loading
from analysis.data.descriptor import Table
from analysis.data.loading import TableError

SAME = ["round", "result_id", "model_run", "scenario"]
_UNSAID = {"precision_basis": "unknown"}  # words that say no more than an empty cell


def load(path: Path, table: Table) -> pd.DataFrame:
    """One imported file, in the columns of `table` and those that only imported rows have. Raises TableError.

    The index is the line that a row would have in a CSV file: 2 for the first.
    """
    whole = replace(table, path=f"{path.parent.name}/{path.name}", fields=[*table.fields, *table.imported_fields])
    try:
        cells = loading.read_cells(path.parent.parent, whole)
    except TableError as error:
        raise TableError(
            [fault._replace(message=f"{fault.message}; import it again") for fault in error.faults]
        ) from None
    return loading.checked(whole, cells, as_printed=False)


def joined(results: pd.DataFrame, imported: list[pd.DataFrame]) -> pd.DataFrame:
    """The rows of results.csv and those imported, each result once, by round, result id, model run and scenario.

    A result that stands in both keeps the row of results.csv, with empty cells filled from the imported one: that knows
    the whole round, so it knows also which row says the same again. Index 0, 1, ...
    """
    if not imported:
        return results
    rows = once(imported)
    known = _keys(results).to_dict()
    row_of = {key: row for row, key in known.items() if key is not None}
    theirs = _keys(rows)
    twice = theirs.isin(list(row_of))
    filler = rows[twice].set_index(theirs[twice].map(row_of)).reindex(results.index)
    filled = pd.DataFrame({name: _filled(results, filler, name) for name in rows}, index=results.index)
    return pd.concat([filled, rows[~twice]], ignore_index=True)


def once(imported: list[pd.DataFrame]) -> pd.DataFrame:
    """The rows of all imported files, each result once, whichever file comes first. Index 0, 1, ...

    A result is the same by its id, by its result id with run and scenario, or by the folder of its run. Of several rows
    that with a result id counts, then that with a recomputation; its empty cells are filled from the others, so that a
    summary beside a tree has the tree's recomputation, with its difference from what was published.
    """
    places = [_places(frame) for frame in imported]
    rows, place = pd.concat(imported, ignore_index=True), pd.concat(places, ignore_index=True)
    order = pd.DataFrame({"anonymous": rows["result_id"].eq(""), "untested": rows["recomputed"].isna()})
    order = order.sort_values(["anonymous", "untested"], kind="stable").index
    homes, seen = {}, {}
    named = zip(order, rows["id"][order], _keys(rows)[order], place[order], strict=True)
    for at, *keys in named:
        keys = [key for key in keys if key]
        homes[at] = next((seen[key] for key in keys if key in seen), at)
        for key in keys:
            seen.setdefault(key, homes[at])
    home = pd.Series(homes).sort_index()
    kept = rows[home.eq(rows.index)]
    more = rows.loc[[at for at in order if homes[at] != at]]
    while len(more):
        again = home[more.index].duplicated()
        kept, more = _completed(kept, more[~again].set_index(home[more.index][~again])), more[again]
    renamed = dict(zip(rows["id"], rows["id"][home], strict=True))
    again = pd.Series([renamed.get(id, id) for id in kept["duplicate_of"]], index=kept.index, dtype="str")
    return kept.assign(duplicate_of=again).reset_index(drop=True)


def _completed(kept: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """The rows, empty cells filled from `others` of the same index; a recomputation says how far it is from them."""
    filler = others.reindex(kept.index)
    filled = pd.DataFrame({name: _filled(kept, filler, name) for name in kept}, index=kept.index)
    compared = kept["recomputed"].isna() & filler["recomputed"].notna() & filler["unit"].eq(kept["unit"])
    difference = filled["recomputed_difference"].where(~compared, filled["recomputed"] / filled["low"] - 1)
    return filled.assign(recomputed_difference=difference)


def _places(rows: pd.DataFrame) -> pd.Series:
    """Round and folder of each run; None where a file names none, or one folder for several results."""
    folder = rows["location"].str.lower().str.rstrip("/")
    keys = pd.Series(list(zip(rows["round"], folder, rows["scenario"], strict=True)), index=rows.index, dtype="object")
    return keys.where(folder.ne("") & ~keys.duplicated(keep=False), None)


def _keys(rows: pd.DataFrame) -> pd.Series:
    """The key of each official row with a result id, else None."""
    keyed = rows["origin"].eq("official") & rows["result_id"].ne("")
    values = [tuple(key) if has else None for has, key in zip(keyed, rows[SAME].to_numpy(), strict=True)]
    return pd.Series(values, index=rows.index, dtype="object")


def _filled(rows: pd.DataFrame, filler: pd.DataFrame, name: str) -> pd.Series:
    other = filler[name]
    if name not in rows:
        return other.fillna("") if _is_text(other) else other
    if pd.api.types.is_bool_dtype(rows[name]):
        return rows[name]
    empty = rows[name].isna() | (rows[name].isin(["", _UNSAID.get(name, "")]) if _is_text(rows[name]) else False)
    return rows[name].where(~(empty & other.notna()), other)


def _is_text(cells: pd.Series) -> bool:
    return pd.api.types.is_string_dtype(cells)
