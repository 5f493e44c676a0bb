"""Where the parameters of a run file go in a notebook."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from analysis._build.make.execute import INJECTED, inject

TITLE, DEFAULTS, CODE = new_markdown_cell("# Apples"), new_code_cell("apples = 3"), new_code_cell("apples + 1")
DEFAULTS.metadata["tags"] = ["parameters"]
STALE = new_code_cell("apples = 4", metadata={"tags": [INJECTED]})


@pytest.mark.parametrize(
    ("cells", "place"),
    [([TITLE, DEFAULTS, CODE], 2), ([TITLE, DEFAULTS, STALE, CODE], 2), ([TITLE, CODE], 0)],
    ids=["behind the defaults", "in place of those of another run", "first where there are no defaults"],
)
def test_parameters_are_the_last_word_before_they_are_used(cells: list, place: int) -> None:
    notebook = new_notebook(cells=list(cells))
    inject(notebook, {"apples": 5, "name": 'Ann "A"', "ripe": True, "sizes": [0.5, 2.0], "none": None})
    kept = [cell for cell in cells if cell is not STALE]
    assert notebook.cells[:place] + notebook.cells[place + 1 :] == kept
    injected, names = notebook.cells[place], {}
    exec(injected.source, names)
    assert injected.metadata.tags == [INJECTED]
    assert [names[name] for name in ("apples", "name", "ripe", "sizes", "none")] == [
        5,
        'Ann "A"',
        True,
        [0.5, 2.0],
        None,
    ]
