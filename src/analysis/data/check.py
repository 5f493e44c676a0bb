"""Checking the whole data folder: every table, the references between them, their hashes; nothing is changed here."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.audit import checks
from analysis.core.paths import DATA, imported
from analysis.data import descriptor, loading, official_rows, validate
from analysis.data.catalog import Catalog
from analysis.data.descriptor import DescriptorError, Table
from analysis.data.loading import TableError
from analysis.data.validate import Fault


def faults(folder: Path = DATA) -> list[Fault]:
    """Everything wrong with the tables of `folder`, table by table; empty where all is well."""
    try:
        tables = descriptor.read(folder)
    except DescriptorError as error:
        return [Fault(descriptor.FILE, 0, "", str(error))]
    frames, found = {}, []
    for name, table in tables.items():
        try:
            frames[name] = loading.load(folder, table)
        except TableError as error:
            found += error.faults
        found += _hash(folder, table)
    return found + _references(tables, frames) + _corrections(folder, tables, frames) + _imported(folder, tables)


def _imported(folder: Path, tables: dict[str, Table]) -> list[Fault]:
    """Faults of what lies in data/official/. An accelerator without an alias is no fault there: it is kept as it is."""
    if "results" not in tables:
        return []
    return [fault for path in imported(folder) for fault in official_rows.load(path, tables["results"])[1]]


def notes(folder: Path = DATA) -> list[str]:
    """What the cheap checks of the audit find wrong in the figures: a row typed wrongly, or a document's own mistake.

    Empty where the tables cannot be read or are not those of the audit: their faults are told first.
    """
    try:
        tables = Catalog(folder)
        if not {*checks.TABLES, "benchmarks", "accelerators"} <= set(tables.tables):
            return []
        wrong = checks.cheap(tables)
    except (DescriptorError, TableError):
        return []
    return [
        f"note: {row['table']}.csv, row {row['row_id']}, {row['check']}: {row['verdict']}. {row['explanation']}"
        for row in wrong.to_dict("records")
    ]


def _hash(folder: Path, table: Table) -> list[Fault]:
    path = folder / table.path
    if not path.is_file() or loading.sha256(path) == table.hash:
        return []
    what = f"its sha256 is not the one in {descriptor.FILE}; if the change is meant, run `analysis describe`"
    return [Fault(table.path, 0, "", what)]


def _references(tables: dict[str, Table], frames: dict[str, pd.DataFrame]) -> list[Fault]:
    """A table that cannot be loaded has its own faults already; what refers to it is not judged."""
    if set(tables) != set(frames):
        return []
    return [fault for name, table in tables.items() for fault in validate.dangling(table, frames[name], frames)]


def _corrections(folder: Path, tables: dict[str, Table], frames: dict[str, pd.DataFrame]) -> list[Fault]:
    """Faults of the corrected tables, for those that are sound as printed."""
    found, right = [], dict(frames)
    for name in frames if "corrections" in frames else ():
        try:
            right[name] = loading.load(folder, tables[name], frames["corrections"])
        except TableError as error:
            found += error.faults
    known = set(_references(tables, frames))
    return found + [fault for fault in _references(tables, right) if fault not in known]
