"""Which rows of the tables stand behind what a page shows, and the digest by which a change of theirs is noticed."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute, csv

from analysis.core import sharing
from analysis.core.citation import cited
from analysis.data.catalog import Catalog
from analysis.data.descriptor import Table

NAMING = ("id", "row_id")  # columns of a shown frame that name rows of tables
AT_A_TIME = 2000  # rows that are written as text
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
    with_ids = [name for name in served if tables[name].primary_key == ["id"]]
    named = {name: sharing.where(served[name], _among(served[name]["id"], ids)) for name in with_ids}
    subjects = {name: _values(frames, catalog.tables[name].primary_key) for name in SUBJECTS}
    for name, rows in named.items():
        for column, subject in _about(tables[name]).items():
            subjects[subject] |= set(rows[column].tolist())
    reached = {}
    for name, rows in served.items():
        if name == "sources":
            reached[name] = sharing.where(rows, _among(rows["id"], set(cited(*frames))))
        elif name in SUBJECTS:
            reached[name] = sharing.where(rows, _among(rows[tables[name].primary_key[0]], subjects[name]))
        elif name in named and len(named[name]):
            reached[name] = named[name]
        else:
            of = _about(tables[name])
            about = [_among(rows[column], subjects[subject]) for column, subject in of.items()]
            told = [rows[column].ne("").to_numpy() for column in of]
            reached[name] = sharing.where(rows, np.all(about, axis=0) & np.any(told, axis=0))
    return {name: rows for name, rows in reached.items() if len(rows)}


def digest(rows: pd.DataFrame, key: Sequence[str]) -> str:
    """The SHA-256 of rows in hexadecimal, the same in whatever order rows and columns stand; `key` tells rows apart."""
    table = pa.Table.from_pandas(rows, columns=sorted(rows), preserve_index=False, nthreads=1)
    places = compute.sort_indices(table, [(name, "ascending") for name in key])
    found = _Hash()
    with csv.CSVWriter(found, table.schema) as written:
        for start in range(0, len(places), AT_A_TIME):
            written.write_table(table.take(places[start : start + AT_A_TIME]))
    return found.told.hexdigest()


class _Hash(io.RawIOBase):
    """A file that keeps the SHA-256 of what is written to it and nothing else: the whole record as text is 30 MB."""

    def __init__(self) -> None:
        self.told = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, content: bytes) -> int:
        self.told.update(content)
        return len(content)


def _among(cells: pd.Series, values: set[str]) -> np.ndarray:
    """Whether each cell is one of the values; what is no text is none of them."""
    texts = pa.array([value for value in values if isinstance(value, str)], pa.large_string())
    return compute.is_in(pa.array(cells, pa.large_string()), texts).to_numpy(zero_copy_only=False)


def _about(table: Table) -> dict[str, str]:
    """The columns of a table that refer to a subject, each with the table of that."""
    references = {key["fields"][0]: key["reference"]["resource"] for key in table.foreign_keys}
    return {column: other for column, other in references.items() if other in SUBJECTS}


def _values(frames: Iterable[pd.DataFrame], columns: Iterable[str]) -> set[str]:
    """What stands in any of the columns of any of the frames; "" is among it: who names none is about no other."""
    found = (frame[column].tolist() for frame in frames for column in columns if column in frame)
    return {"", *(value for values in found for value in values)}
