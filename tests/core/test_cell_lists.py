"""Several values in a cell or a phrase."""

import pytest

from analysis._core import cell_lists


@pytest.mark.parametrize(("cell", "values"), [("", []), ("H200 SXM", ["H200 SXM"]), ("a;b c", ["a", "b c"])])
def test_values_of_a_cell(cell: str, values: list[str]) -> None:
    assert cell_lists.cell_values(cell) == values


@pytest.mark.parametrize(
    ("most", "words"), [(1, "a and 2 more"), (2, "a, b and 1 more"), (3, "a, b, c"), (4, "a, b, c")]
)
def test_the_first_of_many_names_are_told_and_the_others_counted(most: int, words: str) -> None:
    assert cell_lists.first_of(["a", "b", "c"], most) == words
    assert cell_lists.first_of([], most) == ""
