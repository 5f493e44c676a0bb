"""Which notebooks without a run file become pages, and what is said of the others."""

import nbformat
import pytest

from analysis._build.runs.folders import Places
from analysis._build.runs.runfiles import NO_REPORT, hints, why_not

TITLE, CODE = nbformat.v4.new_markdown_cell("# Throughput"), nbformat.v4.new_code_cell("1")
PRIVATE = nbformat.v4.new_markdown_cell("# Notes", metadata={"tags": [NO_REPORT]})


@pytest.mark.parametrize(
    ("name", "cells", "said"),
    [
        ("vendors", [TITLE, CODE], None),
        ("My analysis", [TITLE, CODE], "rename it"),
        ("index", [TITLE, CODE], "rename it"),
        ("vendors", [CODE], "add a Markdown cell with a title"),
        ("vendors", [TITLE], "no code"),
        ("vendors", [PRIVATE, CODE], ""),
        ("_template", [TITLE, CODE], ""),
    ],
)
def test_a_notebook_becomes_a_page_or_it_is_said_why_not(tmp_path, name, cells, said):
    path = tmp_path / f"{name}.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    found = why_not(path)
    assert found == said if not said else said in found


def test_a_file_that_is_no_notebook_is_said_to_be_none(tmp_path):
    (tmp_path / "cut.ipynb").write_text("{", "utf-8")
    assert "not a notebook" in why_not(tmp_path / "cut.ipynb")


def test_of_a_notebook_that_a_run_file_names_no_page_of_its_own_is_missed(tmp_path):
    places = Places.under(tmp_path)
    places.runs.mkdir(parents=True)
    for name in ("Named", "Other"):
        nbformat.write(nbformat.v4.new_notebook(cells=[TITLE, CODE]), places.notebooks / f"{name}.ipynb")
    (places.runs / "mine.yml").write_text("notebook: Named\n", "utf-8")
    (hint,) = hints(places)
    assert hint.startswith("Other.ipynb: no page, rename it")
