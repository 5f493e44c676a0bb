"""Checking the whole data folder: every table, the references between them, their hashes."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.core.contents import sha256_of
from analysis.core.paths import DATA, imported
from analysis.data import descriptor, loading, official_rows, rounds, schema
from analysis.data.descriptor import DescriptorError, Table
from analysis.data.loading import TableError
from analysis.data.schema import Fault


def faults(folder: Path = DATA) -> list[Fault]:
    """Everything wrong with the tables of `folder`, table by table; empty where all is well."""
    try:
        tables = descriptor.read_tables(folder)
    except DescriptorError as error:
        return [Fault(descriptor.FILE, 0, "", str(error))]
    frames, wrong = {}, []
    for name, table in tables.items():
        try:
            frames[name] = loading.load(folder, table)
        except TableError as error:
            wrong += error.faults
        wrong += _hash(folder, table)
    return wrong + _references(tables, frames) + _corrections(folder, tables, frames) + _imported(folder, tables)


def _imported(folder: Path, tables: dict[str, Table]) -> list[Fault]:
    """Faults of what lies in data/official/. An accelerator without an alias is no fault there: it is kept as it is."""
    if "results" not in tables:
        return []
    wrong = []
    for path in imported(folder):
        try:
            official_rows.load(path, tables["results"])
        except TableError as error:
            wrong += error.faults
    return wrong


def _hash(folder: Path, table: Table) -> list[Fault]:
    path = folder / table.path
    if not path.is_file() or sha256_of(path) == table.hash:
        return []
    what = f"its sha256 is not the one in {descriptor.FILE}; if the change is meant, run `analysis describe`"
    return [Fault(table.path, 0, "", what)]


def _references(tables: dict[str, Table], frames: dict[str, pd.DataFrame]) -> list[Fault]:
    """A table that cannot be loaded has its own faults already; what refers to it is not judged."""
    if set(tables) != set(frames):
        return []
    if {"sources", "rounds"} <= set(frames):
        frames = frames | {"sources": rounds.with_records(frames["sources"], frames["rounds"])}
    return [fault for name, table in tables.items() for fault in schema.dangling(table, frames[name], frames)]


def _corrections(folder: Path, tables: dict[str, Table], frames: dict[str, pd.DataFrame]) -> list[Fault]:
    """Faults of the corrected tables, for those that are sound as printed."""
    wrong, right = [], dict(frames)
    for name in frames if "corrections" in frames else ():
        try:
            right[name] = loading.load(folder, tables[name], frames["corrections"])
        except TableError as error:
            wrong += error.faults
    known = set(_references(tables, frames))
    return wrong + [fault for fault in _references(tables, right) if fault not in known]
