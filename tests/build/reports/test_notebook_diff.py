"""What a refresh says of the changes: the words that changed, and that a drawing did."""

from typing import Any

from nbformat.v4 import new_code_cell, new_notebook, new_output

from analysis._build import notebook_diff


def notebook(words: str, svg: str = "<svg/>", count: int = 1) -> Any:
    """A notebook with one figure."""
    data = {"image/svg+xml": svg, "text/html": "<b>markup</b>" * 9, "text/plain": words}
    cell = new_code_cell("draw()", id="c", execution_count=count, outputs=[new_output("display_data", data)])
    return new_notebook(cells=[cell])


def test_words_that_changed_are_told_and_markup_is_not() -> None:
    said = notebook_diff.diff(notebook("6 apples"), notebook("7 apples"))
    assert "-  6 apples" in said and "+  7 apples" in said
    assert "markup" not in said and "svg" not in said


def test_a_drawing_that_changed_is_told_in_one_line() -> None:
    said = notebook_diff.diff(notebook("6 apples"), notebook("6 apples", svg="<svg><path/></svg>"))
    assert [line[0] for line in said.splitlines()] == ["#", "-", "+"]
    assert said.count("drawing") == 2


def test_no_change_says_nothing_and_many_are_cut() -> None:
    assert notebook_diff.diff(notebook("6 apples"), notebook("6 apples", svg="<svg/>")) == ""
    many = notebook_diff.diff(notebook(""), notebook("\n".join(map(str, range(99)))), lines=5)
    assert len(many.splitlines()) == 6 and many.endswith("lines more: make dev, then git diff")
