"""A file of rows: every kind of cell in it, empty ones too, as Arrow itself would write it."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analysis.data.descriptor import Field
from analysis.importers.official import writer

FIELDS = [
    Field("id", "string", required=True), Field("on", "date"), Field("low", "number"), Field("nodes", "integer"),
    Field("inferred", "boolean"),
]  # fmt: skip
FULL = {"id": "größe, \N{SNOWMAN}", "on": "2024-08-28", "low": 0.1 + 0.2, "nodes": 2**53, "inferred": True}
ZERO = {"id": "", "on": "", "low": -0.0, "nodes": 0, "inferred": False}
TYPES = {"string": pa.string(), "date": pa.string(), "number": pa.float64(), "integer": pa.int64()}


@pytest.mark.parametrize("count", [1, 7, 8, 9, writer.ROWS + 1])
def test_a_parquet_file_has_the_bytes_that_arrow_gives_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(writer, "fields", lambda: FIELDS)
    kinds: list[dict[str, Any]] = [FULL, {"id": "alone"}, ZERO, {"low": 5, "nodes": None, "inferred": None}]
    rows = [kinds[number % 3] if number % 5 else kinds[3] for number in range(count)]
    assert writer.write(rows, tmp_path / "rows.parquet") == count
    schema = pa.schema([(field.name, TYPES.get(field.type, pa.bool_())) for field in FIELDS])
    with pq.ParquetWriter(tmp_path / "expected.parquet", schema, compression="zstd") as file:
        for start in range(0, count, writer.ROWS):
            whole = [{"id": "", "on": ""} | row for row in rows[start : start + writer.ROWS]]
            file.write_table(pa.Table.from_pylist(whole, schema=schema))
    assert (tmp_path / "rows.parquet").read_bytes() == (tmp_path / "expected.parquet").read_bytes()
