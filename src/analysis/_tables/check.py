"""Checking the whole data folder: every table, the references between them, their hashes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import pandas as pd

from analysis._core import paths
from analysis._core.file_contents import sha256_of
from analysis._core.paths import DATA, official_files
from analysis._tables import descriptor, loading, official_rows, rounds, schema
from analysis._tables.derived_tables import Kept
from analysis._tables.descriptor import DescriptorError, Part, Table
from analysis._tables.loading import TableError
from analysis._tables.schema import Fault


def faults(folder: Path = DATA) -> list[Fault]:
    """Everything wrong with the tables of `folder`, table by table; empty where all is well."""
    try:
        tables = descriptor.read_tables(folder)
    except DescriptorError as error:
        return [Fault(descriptor.FILE, 0, "", str(error))]
    parts = tables["results"].parts if "results" in tables else ()
    wrong = _kept(folder, [*tables.values(), *parts], "own_faults", lambda: _own(folder, tables))
    if "results" in tables:
        wrong += _kept(folder, parts, "faults", lambda: _of_all(folder, tables["results"]))
    return wrong


def _kept(folder: Path, files: Iterable[Table | Part], name: str, find: Callable[[], list[Fault]]) -> list[Fault]:
    """What `find` finds in these files, once for each state of them, of a user's imports and of the description."""
    store = Kept(folder, files, paths.tables_cache(folder))
    faults = store.frame(name, lambda: pd.DataFrame(find(), columns=Fault._fields))
    return list(map(Fault._make, faults.itertuples(index=False)))


def _own(folder: Path, tables: dict[str, Table]) -> list[Fault]:
    """Faults of the tables' own files, one by one and beside each other."""
    frames, wrong = {}, []
    for name, table in tables.items():
        try:
            frames[name] = loading.load(folder, table)
        except TableError as error:
            wrong += error.faults
        wrong += _hash(folder, table)
    return wrong + _references(tables, frames) + _corrections(folder, tables, frames)


def _of_all(folder: Path, table: Table) -> list[Fault]:
    """Faults of the official rows. An accelerator without an alias is no fault there: it is kept as it is."""
    wrong, parts = [], {part.path: part for part in table.parts}
    own_paths = [path for path in official_files(folder) if path.relative_to(folder).as_posix() not in parts]
    for part in parts.values():
        wrong += official_rows.faults_of(folder, part)
    for path in [*(folder / part for part in parts), *own_paths]:
        if path.is_file():
            wrong += _of_one(path, table, parts.get(path.relative_to(folder).as_posix()))
    return wrong


def _of_one(path: Path, table: Table, part: Part | None) -> list[Fault]:
    """Faults of one file of official rows; one that is shipped holds as many rows of its one round as described."""
    try:
        rows = official_rows.load(path, table)
    except TableError as error:
        return error.faults
    if part is None or (len(rows) == part.rows and rows["round"].eq(part.round).all()):
        return []
    rows_by_round = ", ".join(f"{count} of {round}" for round, count in rows["round"].value_counts().items())
    return [Fault(part.path, 0, "", f"is described as {part.rows} rows of {part.round}; it holds {rows_by_round}")]


def _hash(folder: Path, table: Table) -> list[Fault]:
    path = folder / table.path
    if not path.is_file() or sha256_of(path) == table.hash:
        return []
    words = f"its sha256 is not the one in {descriptor.FILE}; if the change is meant, run `analysis describe`"
    return [Fault(table.path, 0, "", words)]


def _references(tables: dict[str, Table], frames: dict[str, pd.DataFrame]) -> list[Fault]:
    """A table that cannot be loaded has its own faults already; what refers to it is not judged."""
    if set(tables) != set(frames):
        return []
    if {"sources", "rounds"} <= set(frames):
        frames = frames | {"sources": rounds.with_records(frames["sources"], frames["rounds"])}
    return [fault for name, table in tables.items() for fault in schema.dangling(table, frames[name], frames)]


def _of_the_record(folder: Path, tables: dict[str, Table], frames: dict[str, pd.DataFrame]) -> list[Fault]:
    """Faults of the corrections of official rows; a record that cannot be read has its own."""
    if not {"results", "corrections"} <= set(frames) or not tables["results"].parts:
        return []
    fixes = frames["corrections"]
    with suppress(TableError):
        record = official_rows.shipped(folder, tables["results"], {"id", "corrected", *fixes["column"]})
        try:
            official_rows.put_right(record, fixes)
        except TableError as error:
            return error.faults
    return []


def _corrections(folder: Path, tables: dict[str, Table], frames: dict[str, pd.DataFrame]) -> list[Fault]:
    """Faults of the corrected tables, for those that are sound as printed."""
    wrong, right = [], dict(frames)
    corrected = set(frames["corrections"]["table"]) if "corrections" in frames else set()
    for name in (name for name in frames if name in corrected):
        try:
            right[name] = loading.load(folder, tables[name], frames["corrections"])
        except TableError as error:
            wrong += error.faults
    wrong += _of_the_record(folder, tables, frames)
    as_printed = set(_references(tables, frames))
    return wrong + [fault for fault in _references(tables, right) if fault not in as_printed]
