"""The audit as text: lines for reading, JSON and CSV for programs."""

from __future__ import annotations

import json

import pandas as pd

from analysis._core import interval
from analysis._core.choices import choose
from analysis._core.plain_values import as_dicts, as_json
from analysis._tables.catalog import Catalog
from analysis.audit import checks, naming
from analysis.audit.verdict import VERDICTS

FORMATS = ("table", "json", "csv")
WIDTH = {"row_id": 38, "check": 26, "verdict": 22}


def printed(tables: Catalog, source: str = "", verdict: str = "", form: str = "table") -> str:
    """Return the audit's rows in one of FORMATS. Raises ValueError for an unknown source, verdict or format."""
    for value, valid, kind in ((source, tables.sources["id"], "source"), (verdict, VERDICTS, "verdict")):
        if value:
            choose(value, valid, kind)
    choose(form, FORMATS, "format")
    rows = checks.audit(tables, [source] if source else (), [verdict] if verdict else ())
    if form == "csv":
        return rows.to_csv(index=False, lineterminator="\n").removesuffix("\n")
    if form == "json":
        return json.dumps(as_json(rows), indent=1, ensure_ascii=False)
    return "\n".join([_sum(rows), *(_line(row) for row in as_dicts(rows))])


def _line(row: dict) -> str:
    ends = [naming.ends(row[f"{name}_low"], row[f"{name}_high"], row["unit"], 5) for name in ("printed", "expected")]
    if row["expected_low"] == 0 and row["expected_high"] > 0:
        ends[1] = f"at most {interval.number(row['expected_high'], 5)}"
    words = row | {"verdict": row["verdict"].replace("_", " ")}
    start = "".join(f"{words[name]:<{width}} " for name, width in WIDTH.items())
    return f"{start}printed {ends[0]}, expected {ends[1]} {row['unit']}. {row['explanation']}"


def _sum(rows: pd.DataFrame) -> str:
    counts = rows["verdict"].value_counts()
    sums = ", ".join(f"{counts[name]} {name.replace('_', ' ')}" for name in VERDICTS if name in counts)
    figures = len(rows.drop_duplicates(["table", "row_id"]))
    return f"{len(rows)} verdicts on {figures} figures: {sums}" if sums else "No figure has this verdict."
