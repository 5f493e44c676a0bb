"""Which rows of the tables stand behind what a page shows, and the digest by which a change of theirs is noticed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import pandas as pd
import pyarrow as pa
from pyarrow import csv

from analysis.core.citation import cited
from analysis.data.catalog import Catalog
from analysis.data.descriptor import Table

NAMING = ("id", "row_id")  # columns of a shown frame that name rows of tables
SUBJECTS = ("accelerators", "benchmarks")  # tables of what the rows of others are about


def behind(catalog: Catalog, shown: Iterable[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The rows, as the catalog served them, behind the frames that a page shows; by the name of their table.

    Of a table with ids, the rows that a frame names by `id` or `row_id`; where none of a table is named, as of limits
    and prices, those about these subjects alone: the accelerators and benchmarks that a frame or a row so named is
    about. Sources are those that a frame cites. Tables without such a row are left out, and so are the corrections:
    what they put right stands in the rows, with the reason.
    """
    frames = [frame for frame in shown if len(frame)]
    served = {name: rows for name, rows in catalog.served.items() if name != "corrections"}
    tables = {name: catalog.tables[name] for name in served}
    ids = _values(frames, NAMING)
    named = {name: rows[_among(rows["id"], ids)] for name, rows in served.items() if tables[name].primary_key == ["id"]}
    subjects = {name: _values(frames, catalog.tables[name].primary_key) for name in SUBJECTS}
    for name, rows in named.items():
        for column, subject in _about(tables[name]).items():
            subjects[subject] |= set(rows[column].tolist())
    reached = {}
    for name, rows in served.items():
        if name == "sources":
            reached[name] = rows[_among(rows["id"], set(cited(*frames)))]
        elif name in SUBJECTS:
            reached[name] = rows[_among(rows[tables[name].primary_key[0]], subjects[name])]
        elif name in named and len(named[name]):
            reached[name] = named[name]
        else:
            about = pd.DataFrame(
                {column: _among(rows[column], subjects[of]) for column, of in _about(tables[name]).items()}
            )
            reached[name] = rows[about.all(axis=1) & rows[about.columns].ne("").any(axis=1)]
    return {name: rows for name, rows in reached.items() if len(rows)}


def digest(rows: pd.DataFrame, key: Sequence[str]) -> str:
    """The SHA-256 of rows in hexadecimal, the same in whatever order rows and columns stand; `key` tells rows apart."""
    table = pa.Table.from_pandas(rows[sorted(rows)], preserve_index=False)
    written = pa.BufferOutputStream()
    csv.write_csv(table.sort_by([(name, "ascending") for name in key]), written)
    return hashlib.sha256(written.getvalue()).hexdigest()


def _among(cells: pd.Series, values: set[str]) -> pd.Series:
    """Whether each cell is one of the values."""
    return pd.Series([cell in values for cell in cells.tolist()], index=cells.index, dtype="bool")


def _about(table: Table) -> dict[str, str]:
    """The columns of a table that refer to a subject, each with the table of that."""
    references = {key["fields"][0]: key["reference"]["resource"] for key in table.foreign_keys}
    return {column: other for column, other in references.items() if other in SUBJECTS}


def _values(frames: Iterable[pd.DataFrame], columns: Iterable[str]) -> set[str]:
    """What stands in any of the columns of any of the frames; "" is among it: who names none is about no other."""
    found = (frame[column].tolist() for frame in frames for column in columns if column in frame)
    return {"", *(value for values in found for value in values)}
