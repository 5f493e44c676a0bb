"""One measurement submitted under two accuracy targets is counted once: the 99 row names its 99.9 row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analysis._import.official import shape
from analysis._import.official.shape import Row

Key = tuple[str, ...]
STRICTER = {"95": "99", "99": "99.9"}  # the target under which a measurement may be repeated


def marked(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows, those marked that are repeated, with the same figure and power, under the next stricter target.

    A row waits for its partner, so it may come later than it was given; only waiting rows are kept.
    """
    waiting: dict[Key, Row] = {}  # by the key that the partner will have
    strict: dict[Key, tuple[str, object, object]] = {}
    for row in rows:
        target = row["accuracy_target"]
        key, partner = (*_key(row), target), (*_key(row), STRICTER.get(target, ""))
        if target in STRICTER.values():
            strict[key] = row["id"], *_measured(row)
            if key in waiting:
                yield _marked(waiting.pop(key), strict[key])
        if target in STRICTER:
            if partner not in strict:
                if partner in waiting:
                    yield waiting.pop(partner)
                waiting[partner] = row
                continue
            _marked(row, strict[partner])
        yield row
    yield from waiting.values()


def _key(row: Row) -> Key:
    """The same system, run and scenario, whatever the target; the open division gives each run an id of its own."""
    system = "/".join(row["location"].split("/")[:-2]) or row["result_id"]
    run = row["model_run"].removesuffix(row["accuracy_target"]) if row["accuracy_target"] else row["model_run"]
    return row["round"], row["division"], system, row["benchmark"], run, row["scenario"]


def _measured(row: Row) -> tuple[object, object]:
    return row["low"], row.get("power_watts_low") or row.get("energy_millijoules_per_query")


def _marked(row: Row, strict: tuple[str, object, object]) -> Row:
    if _measured(row) == strict[1:]:
        row["duplicate_of"] = strict[0]
        shape.remark(row, "same measurement filed under both accuracy targets")
    return row
