"""Cells of a table that hold several values."""

from __future__ import annotations


def cell_values(cell: str) -> list[str]:
    """The values of a cell that joins them by semicolons, in order; none of an empty cell."""
    return cell.split(";") if cell else []
