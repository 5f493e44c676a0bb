"""Collective Mind lists (`cm-result.json`): where power stands in a row of its own, it joins its result; no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def joined(rows: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Each row with its number, from 1; a row of watts alone is put into the row of the same folder before it.

    v4.0 lists power submissions so: a row with Result, then one with Result null and Result_Power.
    """
    last: tuple[int, Any] | None = None
    try:
        for number, row in enumerate(rows, 1):
            if _power_alone(row) and last and _same(last[1], row):
                last[1].update(Result_Power=row["Result_Power"], Result_Power_Units=row.get("Result_Units"))
                continue
            if last:
                yield last
            last = number, row
    except ValueError:  # The file breaks off: the row before the break is whole.
        if last:
            yield last
        raise
    if last:
        yield last


def _power_alone(row: Any) -> bool:
    return isinstance(row, dict) and row.get("Result_Power") is not None and row.get("Result", 0) is None


def _same(row: Any, power: dict[str, Any]) -> bool:
    names = ("Location", "Scenario", "version")
    return isinstance(row, dict) and all(row.get(name) == power.get(name) for name in names)
