"""Summaries where power stands in a row of its own: it joins the result before it; what a row means is summary's.

So lists MLCommons' submission checker power, and what is made of it: `summary.json` of v6.1 repeats the row with the
watts as its Result, the Collective Mind lists (`cm-result.json`) with Result null and the watts as Result_Power.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from analysis.importers.official import units

SAME = ("Location", "Platform", "Model", "Scenario", "version")


def joined(rows: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Each row with its number, from 1; a row of power alone is put into the result of the same run before it."""
    last: tuple[int, Any] | None = None
    try:
        for number, row in enumerate(rows, 1):
            power = _power(row)
            if power and last and _same(last[1], row):
                last[1].update(power)
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


def _power(row: Any) -> dict[str, Any]:
    """Power and its unit as a row of its own gives them; {} for any other row."""
    if not isinstance(row, dict) or units.of_power(label := row.get("Result_Units") or row.get("Units")) == "":
        return {}
    value = row.get("Result_Power")
    return {"Result_Power": row.get("Result") if value is None else value, "Result_Power_Units": label}


def _same(row: Any, power: dict[str, Any]) -> bool:
    return isinstance(row, dict) and not _power(row) and all(row.get(name) == power.get(name) for name in SAME)
