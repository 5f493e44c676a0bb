"""Power that is in a row of its own: joined with the result before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from analysis._import.official import summaries
from analysis._import.official.entry import EntryError


def joined(rows: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Each row with its number, from 1; a row of power alone is put into the result of the same run before it."""
    last: tuple[int, Any] | None = None
    try:
        for number, row in enumerate(rows, 1):
            if last and (power := _power_of(last[1], row)):
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


def _power_of(result: Any, row: Any) -> dict[str, Any]:
    """What `row` says of the power of `result`; {} where it is no row of power alone, or of another run."""
    try:
        form = summaries.form_of(row)
    except EntryError:
        return {}
    power = form.power(row)
    return power if power and isinstance(result, dict) and form.belongs(row, result) else {}
