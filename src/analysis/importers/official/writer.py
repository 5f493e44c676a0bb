"""Result rows into one file, Parquet or CSV, in the shape of results.csv; a file is whole or not there."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from analysis.data import descriptor
from analysis.importers.official.shape import Row

ROWS = 2000  # rows kept before they are written
ENDINGS = (".parquet", ".csv")


class OutputError(ValueError):
    """The output cannot be written so; the text names the file and what is possible."""


def fields() -> list[dict[str, Any]]:
    """The columns of an imported row: those of results.csv, then those that only imported rows have."""
    table = descriptor.read()["results"]
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


def faults(row: Row, columns: list[dict[str, Any]]) -> list[str]:
    """What keeps a row from being one of the table, in words: missing cells, words that are not of the vocabulary."""
    return [f"{column['name']} {said}" for column in columns if (said := _fault(row.get(column["name"]), column))]


def write(rows: Iterable[Row], out: Path) -> int:
    """Write the rows to `out` and return how many; aside first, then renamed, so that no partial file is ever there."""
    columns, aside = fields(), out.with_name(f".{out.name}.{os.getpid()}.new")
    try:
        count = (_parquet if out.suffix == ".parquet" else _csv)(rows, aside, columns)
        aside.replace(out)
        return count
    finally:
        with suppress(OSError):
            aside.unlink()


def _csv(rows: Iterable[Row], path: Path, columns: list[dict[str, Any]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([column["name"] for column in columns])
        for row in rows:
            table.writerow([_cell(row.get(column["name"])) for column in columns])
            count += 1
    return count


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _parquet(rows: Iterable[Row], path: Path, columns: list[dict[str, Any]]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"string": pa.string(), "date": pa.string(), "number": pa.float64(), "integer": pa.int64()}
    schema = pa.schema([(column["name"], kinds.get(column["type"], pa.bool_())) for column in columns])
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        for batch in _batches(rows):
            whole = [{c["name"]: _default(row.get(c["name"]), c["type"]) for c in columns} for row in batch]
            file.write_table(pa.Table.from_pylist(whole, schema=schema))
            count += len(batch)
    return count


def _batches(rows: Iterable[Row]) -> Iterable[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _default(value: Any, kind: str) -> Any:
    return "" if value is None and kind in ("string", "date") else value


def _fault(value: Any, column: dict[str, Any]) -> str:
    rules = column.get("constraints", {})
    if value is None or value == "":
        return "is missing" if rules.get("required") else ""
    tests: list[tuple[str, Callable[[Any], bool], str]] = [
        ("enum", lambda allowed: value in allowed, "is {value!r}, not one of {rule}"),
        ("pattern", lambda pattern: bool(re.match(pattern, str(value))), "{value!r} does not match {rule}"),
        ("minimum", lambda least: value >= least, "is {value!r}, below {rule}"),
    ]
    for name, holds, words in tests:
        if name in rules and not holds(rules[name]):
            return words.format(value=value, rule=", ".join(rules[name]) if name == "enum" else rules[name])
    return ""
