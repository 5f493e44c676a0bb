"""Each call of `report` in a shipped notebook makes an output, and each output is on its page and in its record."""

from __future__ import annotations

import ast
import json
import tokenize
from html import unescape
from io import StringIO
from itertools import accumulate

import pytest

from tests.reports.plain import MIME, ROOT, outputs, shipped

SHOWN = {"headline": "headline", "finding": "finding", "figure": "figure", "table": "table", "published": "table"}
NOTEBOOKS = shipped()
SPACES = {getattr(tokenize, name) for name in ("COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENDMARKER")}
FORMATTED = [getattr(tokenize, f"FSTRING_{end}", None) for end in ("START", "END")]


def calls(source: str) -> list[str]:
    """Return the kinds of outputs that the calls of `report` in a cell make."""
    found = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    found = [each for each in found if isinstance(each, ast.Attribute) and getattr(each.value, "id", "") == "report"]
    return sorted(SHOWN[each.attr] for each in found if each.attr in SHOWN)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_is_read_in_one_sitting(notebook):
    """At most 22 cells, 15 lines in a cell, and 1,500 tokens of Python, a formatted string counted as one."""
    cells = json.loads((ROOT / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    kinds = [token.type for source in code for token in tokenize.generate_tokens(StringIO(source).readline)]
    within = accumulate({FORMATTED[0]: 1, FORMATTED[1]: -1}.get(kind, 0) for kind in kinds)  # since Python 3.12
    tokens = sum(kind not in SPACES and not depth for kind, depth in zip(kinds, within, strict=True))
    assert tokens <= 1500
    assert len(cells) <= 22 and max(len(source.splitlines()) for source in code) <= 15


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_each_call_of_report_shows_something(notebook):
    """Also a table that is not the last line of its cell."""
    cells = json.loads((ROOT / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] == "code":
            parts = [output["data"][MIME] for output in cell["outputs"] if MIME in output.get("data", {})]
            made = sorted(part["kind"] for part in parts if part["kind"] in SHOWN)
            assert made == calls("".join(cell["source"])), f"cell {number}: run make refresh"


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_an_output_has_a_name_of_its_own(notebook):
    """By which a page links to it."""
    named = [part["name"] for part in outputs(notebook) if "name" in part]
    assert sorted(named) == sorted(set(named))


def test_each_output_is_on_its_page(pages):
    for notebook in NOTEBOOKS:
        html = (pages / f"{notebook}.html").read_text(encoding="utf-8")
        record = json.loads((pages / f"{notebook}.json").read_text(encoding="utf-8"))
        held = [record["headline"], *record["findings"], *record["figures"], *record["tables"]]
        names = {each["name"] for each in held if each}
        for part in outputs(notebook):
            if part["kind"] in ("figure", "table"):
                assert part["name"] in names and f'id="{part["name"]}"' in html, (
                    f"{notebook}, {part['name']}: run make refresh"
                )
            elif part["kind"] in ("headline", "finding"):
                assert part["name"] in names and part["text"] in unescape(html), (
                    f"{notebook}, {part['name']}: run make refresh"
                )
