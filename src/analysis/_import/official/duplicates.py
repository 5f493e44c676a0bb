"""One measurement submitted under two accuracy targets is counted once: the 99 row names its 99.9 row."""

from __future__ import annotations

from collections.abc import Sequence

from analysis._import.official import shape
from analysis._import.official.shape import Row

STRICTER = {"95": "99", "99": "99.9"}  # the target under which a measurement may be repeated


def mark(rows: Sequence[Row]) -> None:
    """Mark each row that is repeated, with the same figure and power, under the next stricter target."""
    by_key = {_key(row, row["accuracy_target"]): row for row in rows}
    for row in rows:
        strict = by_key.get(_key(row, STRICTER.get(row["accuracy_target"], "none")))
        if strict and _measured(strict) == _measured(row):
            row["duplicate_of"] = strict["id"]
            shape.remark(row, "same measurement filed under both accuracy targets")


def _key(row: Row, target: str) -> tuple[str, ...]:
    """The same system, run and scenario under a target; the open division gives each run an id of its own."""
    system = "/".join(row["location"].split("/")[:-2]) or row["result_id"]
    run = row["model_run"].removesuffix(row["accuracy_target"])
    return row["round"], row["division"], system, row["benchmark"], run, row["scenario"], target


def _measured(row: Row) -> tuple[object, object]:
    return row["low"], row.get("power_watts_low") or row.get("energy_millijoules_per_query")
