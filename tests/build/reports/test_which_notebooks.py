"""Which notebooks without a run file become pages, and what is said of the others."""

import nbformat
import pytest

from analysis._build.runs.runfiles import NO_REPORT, why_not

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
