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
    written = io.StringIO()
    writer = csv.DictWriter(written, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    if file_sha256(text) != sha256(written.getvalue()) or not binary.is_file():
        import pandas as pd

        findings = pd.DataFrame(rows, columns=columns).astype({"low": "float64", "high": "float64"})
        write_whole(binary, findings.to_parquet(index=False, compression="zstd"))
        write_whole(text, written.getvalue())


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
    return ["report", "notebook", *sweep.points[0].parameters, *FINDING], rows


def _plain(value: Any) -> Any:
    return canonical_json(value) if isinstance(value, list | dict) else value
