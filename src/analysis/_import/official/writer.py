"""Result rows into one file, Parquet or CSV, in the shape of results.csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from analysis._core.file_contents import aside
from analysis._core.vocabulary import round_age
from analysis._import.official.shape import Row
from analysis._tables import descriptor
from analysis._tables.descriptor import Field

if TYPE_CHECKING:
    import pyarrow as pa

LEVEL = 19  # of zstd, for files that are kept: a tenth smaller than its default
ROWS = 2000  # rows kept before they are written
ENDINGS = (".parquet", ".csv")


class OutputError(ValueError):
    """The output cannot be written so; the text names the file and what is possible."""


def fields() -> list[Field]:
    """The columns of an imported row: those of results.csv, then those that only imported rows have."""
    table = descriptor.read_tables()["results"]
    return [*table.fields, *table.imported_fields]


def checked(out: Path, inputs: Iterable[Path] = ()) -> Path:
    """`out`, if it can be written and is none of the inputs, by whatever name. Raises OutputError."""
    if out.suffix not in ENDINGS:
        raise OutputError(f"--out {out}: must end in {' or '.join(ENDINGS)}")
    if not out.parent.is_dir():
        raise OutputError(f"--out {out}: there is no folder {out.parent}")
    if out.is_dir():
        raise OutputError(f"--out {out}: is a folder, expected a file")
    for path in inputs:
        if out.exists() and path.exists() and out.samefile(path):
            raise OutputError(f"--out {out}: is {path}, which is to be read; name another file")
    return out


def write(rows: Iterable[Row], out: Path) -> int:
    """Write the rows to `out` and return how many; aside first, then renamed, so that no partial file is ever there."""
    with aside(out) as place:
        return (_parquet if out.suffix == ".parquet" else _csv)(rows, place, fields())


def parted(rows: Path, folder: Path, name: str) -> list[str]:
    """Write the rows of a Parquet file into one file a round, in order of id; returns the rounds, oldest first.

    `name` is that of a file, with {round} in it. The same rows give the same bytes.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    folder.mkdir(exist_ok=True)
    whole = pq.read_table(rows).sort_by("id")
    rounds = sorted(pc.unique(whole["round"]).to_pylist(), key=round_age)
    for round in rounds:
        part = whole.filter(pc.equal(whole["round"], round))
        pq.write_table(part, folder / name.format(round=round), compression="zstd", compression_level=LEVEL)
    return rounds


def _csv(rows: Iterable[Row], path: Path, columns: list[Field]) -> int:
    names, count = [column.name for column in columns], 0
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(names)
        for row in rows:
            table.writerow(str(cell).lower() if isinstance(cell, bool) else cell for cell in map(row.get, names))
            count += 1
    return count


def _parquet(rows: Iterable[Row], path: Path, columns: list[Field]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"string": pa.string(), "date": pa.string(), "number": pa.float64(), "integer": pa.int64()}
    schema = pa.schema([(column.name, kinds.get(column.type, pa.bool_())) for column in columns])
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        for batch in _batches(rows):
            file.write_table(_typed(batch, schema))
            count += len(batch)
    return count


def _typed(rows: list[Row], schema: pa.Schema) -> pa.Table:
    """The rows as a table of Arrow's; an empty cell is null, of a text "".

    Read from CSV: given Python's lists, Arrow asks pandas whether they are series, and loads it for that.
    """
    import pyarrow as pa
    from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

    file = pa.BufferOutputStream()
    with io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        table = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC)
        table.writerows(map(row.get, schema.names) for row in rows)
    content = file.getvalue()
    return read_csv(
        pa.BufferReader(content),
        ReadOptions(column_names=schema.names, block_size=content.size, use_threads=False),
        ParseOptions(newlines_in_values=True),
        ConvertOptions(column_types=schema, null_values=[""]),
    )


def _batches(rows: Iterable[Row]) -> Iterable[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == ROWS:
            yield batch
            batch = []
    if batch:
        yield batch
