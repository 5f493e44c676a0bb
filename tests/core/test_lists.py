"""Cells that hold several values."""

import pytest

from analysis.core import lists


@pytest.mark.parametrize(("cell", "values"), [("", []), ("H200 SXM", ["H200 SXM"]), ("a;b c", ["a", "b c"])])
def test_values_of_a_cell(cell: str, values: list[str]) -> None:
    assert lists.cell_values(cell) == values
