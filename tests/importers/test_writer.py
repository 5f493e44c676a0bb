"""A file of rows: every kind of cell in it, empty ones too, as Arrow itself would write it."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analysis._import.official import writer
from analysis._tables.descriptor import Field

FIELDS = [
    Field("id", "string", required=True), Field("on", "date"), Field("low", "number"), Field("nodes", "integer"),
    Field("inferred", "boolean"),
]  # fmt: skip
FULL = {"id": "größe, \N{SNOWMAN}", "on": "2024-08-28", "low": 0.1 + 0.2, "nodes": 2**53, "inferred": True}
ODD = {"id": 'NULL, "\r\n\r', "on": "a\rb", "low": float("nan"), "nodes": -1, "inferred": False}
ZERO = {"id": "", "on": "", "low": -0.0, "nodes": 0, "inferred": False}
TYPES = {"string": pa.string(), "date": pa.string(), "number": pa.float64(), "integer": pa.int64()}


@pytest.mark.parametrize("count", [1, 7, 8, 9, writer.ROWS + 1])
def test_a_parquet_file_has_the_bytes_that_arrow_gives_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(writer, "fields", lambda: FIELDS)
    kinds: list[dict[str, Any]] = [FULL, {"id": "alone"}, ZERO, ODD, {"low": 5, "nodes": None, "inferred": None}]
    rows = [kinds[number % 4] if number % 5 else kinds[4] for number in range(count)]
    assert writer.write(rows, tmp_path / "rows.parquet") == count
    schema = pa.schema([(field.name, TYPES.get(field.type, pa.bool_())) for field in FIELDS])
    with pq.ParquetWriter(tmp_path / "expected.parquet", schema, compression="zstd") as file:
        for start in range(0, count, writer.ROWS):
            whole = [{"id": "", "on": ""} | row for row in rows[start : start + writer.ROWS]]
            file.write_table(pa.Table.from_pylist(whole, schema=schema))
    assert (tmp_path / "rows.parquet").read_bytes() == (tmp_path / "expected.parquet").read_bytes()


def test_a_cell_may_be_of_any_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "fields", lambda: FIELDS)
    rows = [FULL | {"id": f"{number}, a line\n" * 2**18} for number in range(3)]
    assert writer.write(rows, tmp_path / "rows.parquet") == 3
    assert pq.read_table(tmp_path / "rows.parquet").to_pylist() == rows
