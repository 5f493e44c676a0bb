"""What comes new is rows: a round and an accelerator are added to a copy.

A whole round, with a new benchmark, is in tests/whole/test_new_round.py.
"""

import csv

import pytest

from analysis._core import table_text
from analysis._tables import check, dictionary
from analysis.charts import colors, style


@pytest.fixture
def copy(tmp_path, monkeypatch, documents_only):
    """A copy of data/ that parameters are checked against too."""
    folder = documents_only(tmp_path / "data")
    monkeypatch.setattr(table_text, "DATA", folder)
    return folder


@pytest.fixture
def add(copy):
    """Appends one row to a table of the copy; columns that are not given are empty cells."""

    def append(table, **cells):
        path = copy / f"{table}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            columns = next(csv.reader(file))
        assert set(cells) <= set(columns)
        with path.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow([cells.get(column, "") for column in columns])
        dictionary.describe(copy)

    return append


def test_an_accelerator_without_a_color_is_drawn_in_grey(copy, add):
    add("accelerators", accelerator="X1", label="X1", confidence="not looked up")
    assert "X1" not in colors.of_accelerators() and style.color("X1") == style.OTHER


def test_a_color_that_is_none_is_a_fault(copy, add):
    add("accelerators", accelerator="X1", label="X1", confidence="not looked up", color="yellow")
    assert [fault.column for fault in check.faults(copy)] == ["color"]
