"""All findings over all points of a sweep as one table, .csv and .parquet."""

import csv
import io
from typing import Any

from analysis._core.file_contents import sha256, write_whole
from analysis._build.page import record
from analysis._build.runs import freshness
from analysis._build.runs.files import canonical_json, file_sha256
from analysis._build.runs.folders import Places
from analysis._build.runs.sweepfiles import Sweep

NAMES = ("findings.csv", "findings.parquet")
FINDING = ("finding", "of", "low", "high", "unit", "about", "sentence", "sources", "caveats")


def write(sweep: Sweep, places: Places) -> None:
    """Write the table of the reports that are there where it differs from what is there.

    It has both forms, the same bytes for the same reports; the one as text is written last, and vouches for the other.
    """
    text, binary = (places.reports / name for name in NAMES)
    columns, rows = table(sweep, places)
    written = _csv(columns, rows)
    if file_sha256(text) != sha256(written) or not binary.is_file():
        write_whole(binary, _parquet(columns, rows))
        write_whole(text, written)


def table(sweep: Sweep, places: Places) -> tuple[list[str], list[dict[str, Any]]]:
    """Column names and rows: one row per point and finding, with the point's report and all its parameters.

    A further value that a finding says, such as its bill, has a row of its own, and in `of` the finding's name; `about`
    names what a value is of. A parameter that is a list, and sources and caveats, are JSON text.
    """
    rows = []
    for point in sweep.points:
        stated = freshness.read_record(point.run.report, places, point.parameters)
        if stated is None:
            continue
        given = {name: _plain(value) for name, value in stated["parameters"].items()}
        for finding in record.values(stated):
            values = {"finding": finding["name"]} | {name: _plain(finding[name]) for name in FINDING[1:]}
            rows.append({"report": point.run.report, "notebook": stated["notebook"]} | given | values)
    parameters = list(sweep.points[0].parameters)
    return ["report", "notebook", *parameters, *FINDING], rows


def _plain(value: Any) -> Any:
    return canonical_json(value) if isinstance(value, list | dict) else value


def _csv(columns: list[str], rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _parquet(columns: list[str], rows: list[dict[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = {name: [row[name] for row in rows] for name in columns}
    kinds = {name: pa.float64() if name in ("low", "high") else _kind(values, pa) for name, values in arrays.items()}
    made = pa.table({name: pa.array(values, kinds[name]) for name, values in arrays.items()})
    file = io.BytesIO()
    pq.write_table(made, file, compression="zstd")
    return file.getvalue()


def _kind(values: list[Any], pa: Any) -> Any:
    """The Arrow type of a column: text, unless it holds truth values, whole numbers or numbers alone."""
    kinds = {type(value) for value in values if value is not None}
    for kind, arrow in (({bool}, pa.bool_()), ({int}, pa.int64()), ({int, float}, pa.float64())):
        if kinds and kinds <= kind:
            return arrow
    return pa.string()
