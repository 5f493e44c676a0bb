"""The official rows of data/official/: the record that the project ships, and what a user imported beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from analysis._core.choices import folded
from analysis._core.file_contents import sha256_of
from analysis._tables import loading, schema
from analysis._tables.descriptor import FILE, Part, Table
from analysis._tables.loading import TableError
from analysis._tables.schema import Fault

CORRECTED = "official"  # how corrections.csv names these rows in its column `table`
_NAMES = ["_key", "_place"]
_COUNTED = ["tokens_per_sample", "samples_per_second"]
_POWER = ["power_watts_low", "power_watts_high", "energy_millijoules_per_query"]
_UNSAID = {"precision_basis": "unknown"}  # words that say no more than an empty cell


def shipped(folder: Path, table: Table, columns: Collection[str] = ()) -> pd.DataFrame:
    """The rows of every part of `table`, in the columns of `whole` or those of these names, typed. Index 0, 1, ...

    A part whose SHA-256 is the one described was checked when it was described, so it is not checked again: 31,000
    rows are read in a tenth of a second. Raises TableError where a part is missing or another file.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if wrong := [fault for part in table.parts for fault in faults_of(folder, part)]:
        raise TableError(wrong)
    if not table.parts:
        return no_rows(table)
    # A thread for each of two files, and no read-ahead: the files are small, and it takes a third of the memory.
    names = [name for name in whole(table).columns if name in columns] or None
    read = partial(pq.read_table, columns=names, use_threads=False, pre_buffer=False)
    with ThreadPoolExecutor(2) as pool:
        rows = pa.concat_tables(pool.map(read, [folder / part.path for part in table.parts]))
    return rows.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get, split_blocks=True, self_destruct=True)


def no_rows(table: Table) -> pd.DataFrame:
    """No official row, in the columns and types that they have."""
    described = whole(table)
    return schema.typed(described, pd.DataFrame({name: [] for name in described.columns}, dtype="str"))[0]


def faults_of(folder: Path, part: Part) -> list[Fault]:
    """What keeps a part from being the file that is described."""
    path = folder / part.path
    if not path.is_file():
        return [Fault(part.path, 0, "", f"is missing; it is a part of the project: git checkout data/{part.path}")]
    if sha256_of(path) != part.hash:
        words = f"its sha256 is not the one in {FILE}: put it back (git checkout data/{part.path})"
        return [Fault(part.path, 0, "", f"{words}; an import of your own takes another name")]
    return []


def load(path: Path, table: Table) -> pd.DataFrame:
    """One file of imported rows, in the columns of `whole`, checked. Raises TableError.

    The index is the line that a row would have in a CSV file: 2 for the first.
    """
    described = replace(whole(table), path=f"{path.parent.name}/{path.name}")
    try:
        cells = loading.read_cells(path.parent.parent, described)
    except TableError as error:
        raise TableError(
            [fault._replace(message=f"{fault.message}; import it again") for fault in error.faults]
        ) from None
    return loading.checked(described, cells, as_printed=False)


def whole(table: Table) -> Table:
    """The table with the columns of its official rows: its own, then those that only imported rows have."""
    return replace(table, fields=[*table.fields, *table.imported_fields])


def put_right(rows: pd.DataFrame, corrections: pd.DataFrame) -> pd.DataFrame:
    """The rows with the corrections of the table CORRECTED applied (loading.correct). Raises TableError."""
    fixes = corrections[corrections["table"].eq(CORRECTED)]
    return loading.correct(rows, fixes, "id", "the official record")


def joined(results: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """The rows of results.csv and the official ones below them; columns that a document has not are empty there."""
    missing = {name: "" if _is_text(official[name]) else float("nan") for name in official if name not in results}
    published = results.assign(**missing).astype({name: official[name].dtype for name in missing})
    return pd.concat([published, official], ignore_index=True)


def spelled_alike(names: pd.Series) -> pd.Series:
    """The names; of those that differ in capitals and blanks alone the spelling of most, of as many the last one."""
    filed = names.value_counts().sort_index().sort_values(kind="stable").index
    usual = {folded(name): name for name in filed}
    return names.map({name: usual[folded(name)] for name in filed}).astype(names.dtype)


def with_own(record: pd.DataFrame, own_imports: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The record and a user's own imports, each result once. Index 0, 1, ...

    A result is the same by its id, by its result id with run and scenario, or by the folder of its run. A user's own
    row wins over the record's, whichever of the files comes first; of several of them that with a result id counts,
    then that with a recomputation. Its empty cells are filled from the others, so that a summary beside a tree has the
    tree's recomputation, with its difference from what was published, and the id under which the result is known.
    Rows are in the order of the record, and behind it what it has not: what is equally fast is named in one order.
    """
    if not own_imports:
        return record
    own_rows, record_rows = pd.concat([_named(frame) for frame in own_imports], ignore_index=True), _named(record)
    is_shared = pd.Series(False, index=record_rows.index)
    for name in ("id", *_NAMES):
        is_shared |= record_rows[name].ne("") & record_rows[name].isin(own_rows[name])
    marked = [own_rows.assign(_own=True), record_rows[is_shared].assign(_own=False)]
    merged = _once(pd.concat(marked, ignore_index=True))
    joined = pd.concat([record[~is_shared], merged[list(record)]], ignore_index=True)
    places = joined["id"].map(pd.Series(range(len(record)), index=record["id"])).sort_values(kind="stable").index
    return joined.loc[places].reset_index(drop=True)


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of one file with the names that a result goes by beside its id, as _NAMES; "" where it has none.

    These are its result id with run and scenario, and the folder of its run, unless the file has several results there.
    """
    keyed = rows["origin"].eq("official") & rows["result_id"].ne("")
    key = rows["round"] + "\n" + rows["result_id"] + "\n" + rows["model_run"] + "\n" + rows["scenario"]
    folder = rows["location"].str.lower().str.rstrip("/")
    place = rows["round"] + "\n" + folder + "\n" + rows["scenario"]
    alone = folder.ne("") & ~place.duplicated(keep=False)
    return rows.assign(_key=key.where(keyed, ""), _place=place.where(alone, ""))


def _once(rows: pd.DataFrame) -> pd.DataFrame:
    """The named rows, each result once; `_own` marks those that win."""
    order = pd.DataFrame({"foreign": ~rows["_own"], "anonymous": rows["result_id"].eq("")})
    order = order.assign(untested=rows["recomputed"].isna()).sort_values([*order, "untested"], kind="stable").index
    homes, home_of_name, known_as = {}, {}, {}
    for index in order:
        names = [(name, value) for name in ("id", *_NAMES) if (value := rows.at[index, name])]
        home = homes[index] = next((home_of_name[name] for name in names if name in home_of_name), index)
        for name in names:
            home_of_name.setdefault(name, home)
        if home not in known_as or (not rows.at[known_as[home], "result_id"] and rows.at[index, "result_id"]):
            known_as[home] = index
    home = pd.Series(homes).sort_index()
    first_rows = rows[home.eq(rows.index)]
    fillers = rows.loc[[index for index in order if homes[index] != index]]
    while len(fillers):
        is_repeated = home[fillers.index].duplicated()
        once_each = fillers[~is_repeated]
        first_rows = _completed(first_rows, once_each.set_index(home[once_each.index]))
        fillers = fillers[is_repeated]
    renamed = dict(zip(rows["id"], rows["id"][home.map(known_as)], strict=True))
    new_ids = {
        name: pd.Series([renamed.get(id, id) for id in first_rows[name]], index=first_rows.index, dtype="str")
        for name in ("id", "duplicate_of")
    }
    return first_rows.assign(**new_ids).reset_index(drop=True)


def _completed(rows: pd.DataFrame, other_rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, empty cells filled from `other_rows` of the same index; a recomputation says how far it is from them.

    What only a log can tell is the log's, wherever the figure is from: whether a result is inferred from another
    scenario's, how many tokens its samples had, and that its power cannot be trusted. What a run is of is as it was
    published.
    """
    filler = other_rows.reindex(rows.index)
    filled = pd.DataFrame({name: _filled(rows[name], filler[name]) for name in rows}, index=rows.index)
    same_unit = filler["unit"].eq(rows["unit"])
    compared = same_unit & rows["recomputed"].isna() & filler["recomputed"].notna()  # published here, its log there
    other_way = same_unit & rows["result_id"].eq("") & filler["result_id"].ne("") & rows["recomputed"].notna()
    low, high = (rows[end].where(~other_way, filler[end]) for end in ("low", "high"))
    again = filled["recomputed"] / filled["recomputed"].clip(low, high) - 1  # as agreement.off
    difference = filled["recomputed_difference"].where(~(compared | other_way), again)
    filled = filled.assign(recomputed_difference=difference)
    filled["benchmark"] = filled["benchmark"].where(~other_way, filler["benchmark"])
    filled["inferred"] = filled["inferred"].where(~compared, filler["inferred"].eq(True))
    filled["evidence"] = filled["evidence"].mask(compared, "log")
    counted = compared & rows["low"].eq(filler["low"]) & filler["tokens_per_sample"].notna()
    for name in _COUNTED:
        filled[name] = filled[name].where(~counted, filler[name])
    untrusted = compared & filler["power_measured"].eq(True) & filler[_POWER].isna().all(axis=1)
    filled.loc[untrusted, _POWER] = float("nan")
    return filled


def _filled(cells: pd.Series, filler: pd.Series) -> pd.Series:
    if pd.api.types.is_bool_dtype(cells):
        return cells
    empty = cells.isna() | (cells.isin(["", _UNSAID.get(cells.name, "")]) if _is_text(cells) else False)
    return cells.where(~(empty & filler.notna()), filler)


def _is_text(cells: pd.Series) -> bool:
    return pd.api.types.is_string_dtype(cells)
