"""One executed notebook: where and how it failed, and what is left of one without data."""

import pytest

from analysis.pages.execute import execute
from analysis.pages.processes import side_by_side
from analysis.pages.runs import Report

STOP = "class NoData(Exception): ...\nraise NoData('x' * 5000)"
DEEP = "from analysis import names\nnames.accelerators(['H10'])"
NO_HEADING = "gpu = 'H100'\n# not a heading"


@pytest.fixture
def executed(project, monkeypatch):
    """A notebook of these cells, executed without a bar of progress: it would be in the words of a failed process."""
    monkeypatch.setattr("tqdm.auto.tqdm", None)

    def run(*cells, **parameters):
        project.add("one", *cells)
        [(_, done)] = side_by_side(
            execute, {"one": (Report("one", project.notebooks / "one.ipynb", parameters),)}, 1, 60
        )
        return done

    return run


@pytest.mark.parametrize(
    ("cells", "failure"),
    [
        (("# One", "## Rates ", NO_HEADING, "1 / 0"),
         'cell 4 of 4, under "Rates", line 1: 1 / 0\nZeroDivisionError: division by zero'),
        (("1", "def ratio(a):\n    return a / 0\n\n\nratio(1)"),
         "cell 2 of 2, line 5: ratio(1)\nZeroDivisionError: division by zero"),
        (("raise ValueError('x' * 5000)",),
         f"cell 1 of 1, line 1: raise ValueError('x' * 5000)\nValueError: {'x' * 1988}"),
    ],
)  # fmt: skip
def test_a_failure_says_where_and_what(executed, cells, failure):
    done = executed(*cells)
    assert (done.failure, done.no_data) == (failure, "")


def test_an_error_from_the_package_names_the_line_that_raised_it_and_no_other(executed):
    said = executed("# Deep", DEEP).failure
    assert said.count("raised in ") == said.count("raised in src/analysis/names.py, line ") == 1


def test_a_parameter_of_a_run_file_that_fails_is_named_as_such(executed):
    done = executed("#: parameters\ngpu = 1", "gpu + 1", gpu="H100")
    assert done.failure.startswith("cell 2 of 2, line 1: gpu + 1\nTypeError: ")


def test_cells_after_the_one_without_data_are_left_out(executed):
    done = executed("# One", "'shown'", STOP, "Text", "'never'")
    assert [cell.source for cell in done.notebook.cells] == ["# One", "'shown'", STOP]
    assert (done.failure, done.no_data) == ("", "x" * 2000)
    assert [len(cell.get("outputs", [])) for cell in done.notebook.cells] == [0, 1, 0]
