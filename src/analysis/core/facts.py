"""The rows of a table of data/ as text, for what is asked of one before there is a catalog, or without one."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from analysis.core.paths import DATA


@cache
def rows(table: str, folder: Path | None = None) -> tuple[dict[str, str], ...]:
    """The rows of a table, in file order, cells by column as they stand in the file; of `folder`, else of data/."""
    with ((folder or DATA) / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def column(table: str, name: str) -> tuple[str, ...]:
    """One column of a table of data/, in file order."""
    return tuple(row[name] for row in rows(table))
