"""Which rows of the tables stand behind what a page shows, and the digest by which a change of theirs is noticed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute

from analysis._core.citation import cited
from analysis._core.file_contents import sha256
from analysis._tables.catalog import Catalog, kept_with
from analysis._tables.descriptor import Table

NAMING = ("id", "row_id")  # columns of a shown frame that name rows of tables
SUBJECTS = ("accelerators", "benchmarks")  # tables of what the rows of others are about
BETWEEN = "\x1f"  # what stands between the cells of a row that is digested: no table may hold it


def rows_behind(catalog: Catalog, shown: Iterable[pd.DataFrame]) -> dict[str, np.ndarray]:
    """Which of the rows that the catalog served are behind the frames that a page shows, by the name of their table.

    Each is an array of booleans, one for a row. Of a table with ids, the rows that a frame names by `id` or `row_id`;
    where none of a table is named, as of limits and prices, those about these subjects alone: the accelerators and
    benchmarks that a frame or a row so named is about. Sources are those that a frame cites. Tables without such a row
    are left out, and so are the corrections: what they put right stands in the rows, with the reason.
    """
    frames = [frame for frame in shown if len(frame)]
    served = {name: rows for name, rows in catalog.served.items() if name != "corrections"}
    tables = {name: catalog.tables[name] for name in served}
    ids = _values(frames, NAMING)
    with_ids = [name for name in served if tables[name].primary_key == ["id"]]
    named_rows = {name: _among(served[name]["id"], ids) for name in with_ids}
    subjects = {name: _values(frames, catalog.tables[name].primary_key) for name in SUBJECTS}
    for name, is_named in named_rows.items():
        for column, subject in _about(tables[name]).items():
            subjects[subject] |= set(served[name].loc[is_named, column].unique())
    reached = {}
    for name, rows in served.items():
        if name == "sources":
            reached[name] = _among(rows["id"], set(cited(*frames)))
        elif name in SUBJECTS:
            reached[name] = _among(rows[tables[name].primary_key[0]], subjects[name])
        elif name in named_rows and named_rows[name].any():
            reached[name] = named_rows[name]
        else:
            subject_columns = _about(tables[name])
            about = [_among(rows[column], subjects[subject]) for column, subject in subject_columns.items()]
            is_named_in = [rows[column].ne("").to_numpy() for column in subject_columns]
            reached[name] = np.all(about, axis=0) & np.any(is_named_in, axis=0)
    return {name: is_reached for name, is_reached in reached.items() if is_reached.any()}


def digest(catalog: Catalog, name: str, counted: np.ndarray) -> str:
    """The SHA-256, in hexadecimal, over those of rows that the catalog served of a table, whatever their order.

    `counted` says of each row whether it counts.
    """
    rows = digests(catalog, name)
    return sha256("".join(rows.loc[counted[rows["place"]], "sha256"].tolist()))


@kept_with()  # what was served counts as used
def digests(catalog: Catalog, name: str) -> pd.DataFrame:
    """The `row_digests` of what the catalog served of a table: each rests on its row alone."""
    return row_digests(catalog.served[name])


def row_digests(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each row its `place`, from 0, and its `sha256`: of the columns' names and its cells, in the order of names.

    Ordered by the digests, so that the rows that count stand in the same order wherever their table has them.
    """
    columns = sorted(rows)
    table = pa.Table.from_pandas(rows, columns=columns, preserve_index=False, nthreads=1)
    texts = [column.combine_chunks().cast(pa.large_string()) for column in table.columns]
    between = pa.scalar(BETWEEN, pa.large_string())
    lines = compute.binary_join_element_wise(*texts, between, null_handling="replace")  # Nothing stands for none.
    head = hashlib.sha256(f"{BETWEEN.join(columns)}\n".encode())
    hashes = [_after(head, line) for line in lines.to_pylist()]
    digested = pd.DataFrame({"place": np.arange(len(rows)), "sha256": hashes})
    return digested.astype({"sha256": "str"}).sort_values("sha256", ignore_index=True)


def _after(head: hashlib._Hash, line: str) -> str:
    whole = head.copy()
    whole.update(line.encode())
    return whole.hexdigest()


def _among(cells: pd.Series, values: set[str]) -> np.ndarray:
    """Whether each cell is one of the values; what is no text is none of them."""
    texts = pa.array([value for value in values if isinstance(value, str)], pa.large_string())
    return compute.is_in(pa.array(cells, pa.large_string()), texts).to_numpy(zero_copy_only=False)


def _about(table: Table) -> dict[str, str]:
    """The columns of a table that refer to a subject, each with the table of that."""
    references = {key["fields"][0]: key["reference"]["resource"] for key in table.foreign_keys}
    return {column: table_name for column, table_name in references.items() if table_name in SUBJECTS}


def _values(frames: Iterable[pd.DataFrame], columns: Iterable[str]) -> set[str]:
    """What stands in any of the columns of any of the frames; "" is among it: who names none is about no other."""
    lists = (frame[column].tolist() for frame in frames for column in columns if column in frame)
    return {"", *(value for values in lists for value in values)}
