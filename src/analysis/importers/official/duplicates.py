"""One measurement filed under both accuracy targets is counted once: the 99 row names its 99.9 row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analysis.importers.official import shape
from analysis.importers.official.shape import Row

Key = tuple[str, ...]


def marked(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows, those of a 99 target marked that stand again, with the same figure and power, under 99.9.

    A 99 row waits for its partner, so it may come later than it was given; only waiting rows are kept.
    """
    waiting: dict[Key, Row] = {}
    strict: dict[Key, tuple[str, object, object]] = {}
    for row in rows:
        key = _key(row)
        if row["accuracy_target"] == "99.9":
            strict[key] = row["id"], *_measured(row)
            if key in waiting:
                yield _marked(waiting.pop(key), strict[key])
        elif row["accuracy_target"] == "99":
            if key not in strict:
                if key in waiting:
                    yield waiting.pop(key)
                waiting[key] = row
                continue
            _marked(row, strict[key])
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
