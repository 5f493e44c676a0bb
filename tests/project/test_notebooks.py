"""The structure of every notebook: its anatomy, its stored outputs, and no number typed into prose."""

import ast
import re
from itertools import pairwise

import nbformat
import pytest

from analysis._build import stored_outputs
from analysis._build.page.page import NOTEBOOK_ONLY
from analysis._core import findings, mime
from analysis._core.paths import NOTEBOOKS

# Digits that are names, not figures: rounds, years, accelerators and number formats, models, a sparsity.
NUMBERS_THAT_NAME = re.compile(
    r"\bv\d\.\d\b|\b20\d\d\b|\b[A-Z]{1,4}\d+[A-Z]?\b|\bspeedAI 240\b|\bLlama 2 70B\b|\bResNet-50\b|\b3D U-Net\b|\b2:4\b"
)
TABLE = re.compile(
    r'(<details class="table"><summary>[^<]*</summary>)?'
    r'(<style>[^<]*</style>)?<(table class="cells") id="t[0-9a-f]{8}"'
    r'|<p class="nothing">|<ul class="key">'
)
FIGURES = 4
LIVE = "explorer.ipynb"  # draws in the page: it has no figure of its own, and its table stands where none is drawn
IMPORTED = "endpoints"  # shows what its user imports: as shipped it has no data


@pytest.fixture(scope="module")
def notebook(shipped_notebook):
    return nbformat.read(NOTEBOOKS / f"{shipped_notebook}.ipynb", as_version=4)


@pytest.fixture
def drawing(notebook, shipped_notebook):
    """A notebook that shows figures: each but the one that is LIVE and the one of what is IMPORTED."""
    if f"{shipped_notebook}.ipynb" == LIVE:
        pytest.skip("its page draws what its reader chooses")
    if shipped_notebook == IMPORTED:
        pytest.skip("without an import there is nothing to draw; tests/whole/test_endpoints.py has one")
    return notebook


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(notebook):
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def outputs(*cells):
    return [output for cell in cells for output in cell.outputs]


def data(*cells):
    """The data of every output that the page shows."""
    return [
        output.get("data", {})
        for cell in cells if NOTEBOOK_ONLY not in cell.metadata.get("tags", []) for output in cell.outputs
    ]  # fmt: skip


def tagged(notebook, tag):
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])]


def test_file_is_a_valid_notebook_of_the_current_format(notebook):
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)


def test_nothing_that_editors_write_is_stored(notebook):
    assert notebook.metadata == stored_outputs.METADATA, "run `make refresh`"
    assert [cell.id for cell in notebook.cells if set(cell.metadata) - {"tags"}] == [], "run `make refresh`"


def test_one_parameters_cell_in_second_place(notebook):
    assert tagged(notebook, "parameters") == [notebook.cells[1]]
    assert tagged(notebook, "injected-parameters") == []


def test_every_parameter_is_typed_and_explained(notebook):
    source = notebook.cells[1].source
    parsed = ast.parse(source).body
    assert [type(each) for each in parsed] == [ast.AnnAssign] * len(source.splitlines())
    assert [line for line in source.splitlines() if not re.search(r"\S  # \S", line)] == []


def test_first_cell_has_a_title_and_one_paragraph(notebook):
    first = notebook.cells[0]
    assert first.cell_type == "markdown"
    assert re.fullmatch(r"# [^\n]+\n\n[^\n]+(\n[^\n]+)*", first.source.strip())


def test_headings_go_down_one_level_at_a_time(notebook):
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose(notebook), flags=re.MULTILINE)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_cells_ran_in_order_from_one(notebook):
    assert [cell.execution_count for cell in code(notebook)] == list(range(1, len(code(notebook)) + 1))


def test_nothing_went_wrong_or_was_printed(notebook):
    kinds = {output.output_type for output in outputs(*code(notebook))}
    assert kinds - {"display_data", "execute_result"} == set()


def test_imports_stand_together_in_the_third_cell(notebook):
    importing = [
        cell.id for cell in code(notebook)
        if any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(ast.parse(cell.source)))
    ]  # fmt: skip
    assert importing == [notebook.cells[2].id]


def test_code_is_hidden_but_for_the_parameters(notebook):
    shown = [cell.id for cell in code(notebook) if "hide-input" not in cell.metadata.get("tags", [])]
    assert shown == [notebook.cells[1].id]


def test_no_number_is_typed_into_prose(notebook):
    assert re.findall(r".*\d.*", NUMBERS_THAT_NAME.sub("", prose(notebook))) == []


def test_there_are_figures_and_at_most_four_in_sight(drawing):
    drawn = [each for each in data(*(cell for cell in in_sight(drawing) if cell.cell_type == "code"))]
    assert 1 <= len([each for each in drawn if "image/svg+xml" in each]) <= FIGURES


def in_sight(notebook):
    """The cells that are in no section that is folded away."""
    shown, folded = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            folded = "folded" in cell.metadata.get("tags", [])
        shown += [] if folded else [cell]
    return shown


def test_the_first_figure_comes_right_behind_the_answer(drawing):
    (answer,) = tagged(drawing, "answer")
    following = drawing.cells[drawing.cells.index(answer) + 1]
    assert following.cell_type == "code" and any("image/svg+xml" in each for each in data(following))


def test_no_figure_is_a_bitmap(notebook):
    assert [kind for each in data(*code(notebook)) for kind in each if kind in ("image/png", "image/jpeg")] == []


def test_every_figure_has_alt_text_with_numbers_and_a_source_line(notebook):
    drawn = [each for each in outputs(*code(notebook)) if "image/svg+xml" in each.get("data", {})]
    for figure in drawn:
        told = figure.metadata["image/svg+xml"]
        assert re.search(r"\d", told["alt"])
        assert told["caption"].startswith("Sources: ")


def test_answer_what_follows_and_what_both_rest_on_come_before_any_figure(notebook):
    (answer,) = tagged(notebook, "answer")
    assert [mime.FINDING in each for each in data(answer)] == [True, True, False]
    assert data(answer)[2][mime.TRUST]["parts"]
    earlier = notebook.cells[: notebook.cells.index(answer)]
    assert [each for each in data(*(cell for cell in earlier if cell.cell_type == "code")) if each] == []


def test_the_answer_is_short_and_has_a_value(notebook, shipped_notebook):
    (answer,) = tagged(notebook, "answer")
    said = data(answer)[0][mime.FINDING]
    assert (said["low"] is None) is (shipped_notebook == IMPORTED) and len(
        said["headline"].split()
    ) <= findings.MOST_WORDS


def test_findings_have_each_a_name_of_their_own(notebook):
    names = [each[mime.FINDING]["name"] for each in data(*code(notebook)) if mime.FINDING in each]
    assert len(names) == len(set(names))


def test_every_output_is_a_finding_scope_line_figure_or_table(notebook):
    assert [each for each in data(*code(notebook)) if _kind(each) is None] == []


def _kind(shown):
    for kind in (mime.FINDING, mime.TRUST, "image/svg+xml"):
        if kind in shown:
            return kind
    return "table" if TABLE.match("".join(shown.get("text/html", ""))) else None


def test_cell_ids_are_words_of_our_own_each_once(notebook):
    ids = [cell.id for cell in notebook.cells]
    assert len(ids) == len(set(ids))
    assert [each for each in ids if not re.fullmatch(r"[a-z]+(-[a-z]+)*", each)] == []
