"""Figures that contradict their own document: typing errors in the tables, or errors of the document."""

from __future__ import annotations

from pathlib import Path

from analysis._core.paths import DATA
from analysis._core.plain_values import as_dicts
from analysis._tables.catalog import Catalog
from analysis._tables.descriptor import DescriptorError
from analysis._tables.loading import TableError
from analysis.audit import checks


def notes(folder: Path = DATA) -> list[str]:
    """A line for each figure of a data folder that a cheap check finds wrong.

    Empty where the tables cannot be read or are not those of the audit: their faults are reported first.
    """
    try:
        tables = Catalog(folder)
        if not {*checks.TABLES, "benchmarks", "accelerators"} <= set(tables.tables):
            return []
        wrong = checks.wrong_without_record(tables)
    except (DescriptorError, TableError):
        return []
    return [
        f"note: {row['table']}.csv, row {row['row_id']}, {row['check']}: {row['verdict']}. {row['explanation']}"
        for row in as_dicts(wrong)
    ]
