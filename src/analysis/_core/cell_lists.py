"""Several values in one cell of a table, or in one phrase."""

from __future__ import annotations

from collections.abc import Sequence


def cell_values(cell: str) -> list[str]:
    """The values of a cell that joins them by semicolons, in order; none of an empty cell."""
    return cell.split(";") if cell else []


def first_of(names: Sequence[str], most: int) -> str:
    """The names behind commas, of more than `most` the first and how many more: `a, b and 3 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
