"""Result rows into one file, Parquet or CSV, in the shape of results.csv."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from analysis._core.file_contents import aside
from analysis._core.refusal import Refused
from analysis._core.vocabulary import round_age
from analysis._import.official.shape import Row
from analysis._tables import descriptor
from analysis._tables.descriptor import Field

LEVEL = 19  # of zstd, for files that are kept: a tenth smaller than its default
ENDINGS = (".parquet", ".csv")


class OutputError(Refused):
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


def write(rows: Iterable[Row], out: Path) -> None:
    """Write the rows to `out`; aside first, then renamed, so that no partial file is ever there."""
    with aside(out) as place:
        (_parquet if out.suffix == ".parquet" else _csv)(rows, place)


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


def _csv(rows: Iterable[Row], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [column.name for column in fields()], extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        for row in rows:
            table.writerow({name: str(cell).lower() if isinstance(cell, bool) else cell for name, cell in row.items()})


def _parquet(rows: Iterable[Row], path: Path) -> None:
    """An empty cell is null, of a text ""."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"string": pa.string(), "date": pa.string(), "number": pa.float64(), "integer": pa.int64()}
    schema = pa.schema([(column.name, kinds.get(column.type, pa.bool_())) for column in fields()])
    empty = {column.name: "" for column in schema if pa.types.is_string(column.type)}
    filled = [empty | {name: cell for name, cell in row.items() if cell is not None} for row in rows]
    pq.write_table(pa.Table.from_pylist(filled, schema), path, compression="zstd")
