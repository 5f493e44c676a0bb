"""An executed notebook made ready for the template: what is shown, in which order, under which ids."""

import copy
from importlib import metadata
from typing import Any

from analysis.engine.page import markdown, outputs, record
from analysis.engine.page.errors import ReportFailed
from analysis.engine.page.markdown import Heading, Headings
from analysis.engine.page.markup import Markup
from analysis.engine.page.parameter_words import parameter_help

PACKAGES = ("numpy", "pandas", "matplotlib", "seaborn", "papermill", "nbconvert")
RESERVED = {"main", "answer", "parameters", "contents", "about", "show-code"}


def prepare(notebook: Any, stated: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The notebook as its page shows it, and the page's own facts for the template.

    `stated` is the report's record. Raises ReportFailed for a missing question or answer, a figure
    without alt text, a bad heading.
    """
    notebook = copy.deepcopy(notebook)
    for index, cell in enumerate(notebook.cells):
        cell.metadata["page"] = {}
        if cell.cell_type == "code":
            cell.outputs = [shown for output in cell.outputs if (shown := outputs.shown(output, index))]
    styles = outputs.lift_styles(notebook.cells)
    answer = outputs.lift_answer(notebook.cells)
    notebook.cells = _without_empty_headings(notebook.cells)
    facts = _render_text(notebook.cells)
    outputs.pair_numbers(notebook.cells)
    _group_code(notebook.cells)
    return notebook, facts | {"answer": answer, "styles": styles, "stated": stated} | _footer(notebook.cells, stated)


def _without_empty_headings(cells: list[Any]) -> list[Any]:
    """Drop a cell that is only a heading where the next thing shown is a heading of its rank, or nothing."""
    kept: list[Any] = []
    for cell in reversed(cells):
        following = next((_rank(c) for c in reversed(kept) if _shows(c)), 0)
        only_heading = _rank(cell) < 7 and "\n" not in cell.source.strip()
        if not (only_heading and following <= _rank(cell)):
            kept.append(cell)
    return kept[::-1]


def _rank(cell: Any) -> int:
    """The level of the heading that a cell starts with (1 to 6), or 7 where it starts with anything else."""
    source = cell.source.lstrip()
    marks = len(source) - len(source.lstrip("#"))
    return marks if cell.cell_type == "markdown" and 0 < marks < 7 else 7


def _shows(cell: Any) -> bool:
    return bool(cell.outputs if cell.cell_type == "code" else cell.source.strip())


def _render_text(cells: list[Any]) -> dict[str, Any]:
    """Render all Markdown in place; the question, the scope and the contents of the page."""
    headings, question, scope = Headings(RESERVED | _used_ids(cells)), "", ""
    first = next((cell for cell in cells if cell.cell_type == "markdown"), None)
    for index, cell in enumerate(cells):
        try:
            if cell.cell_type == "markdown":
                html, asked, about = markdown.render(cell, headings, first=cell is first)
                cell.metadata["page"]["html"] = html
                question, scope = question or asked, scope or about
            for output in (o for o in cell.get("outputs", []) if "text/markdown" in o.get("data", {})):
                html, *_ = markdown.render({"source": output.data["text/markdown"]}, headings)
                output.data = {"text/html": html}
        except ReportFailed as error:
            raise ReportFailed(error.what, index) from error
    if not question:
        raise ReportFailed("The first Markdown cell has no question: expected '# ' and the question")
    return {"question": question, "scope": scope, "contents": _contents(headings.all)}


def _used_ids(cells: list[Any]) -> set[str]:
    shown = filter(outputs.is_html, record.outputs(cells))
    return {name for output in shown for name in Markup(output.data["text/html"]).ids}


def _contents(headings: list[Heading]) -> list[tuple[Heading, list[Heading]]]:
    """Each second-level heading with the third-level ones below it."""
    tree: list[tuple[Heading, list[Heading]]] = []
    for heading in headings:
        if heading.level == 2:
            tree.append((heading, []))
        elif heading.level == 3:
            tree[-1][1].append(heading)
    return tree


def _group_code(cells: list[Any]) -> None:
    """Give each run of code cells one fold: at its first cell with an output, or at its last cell."""
    group: list[Any] = []
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        if cell.cell_type == "code" and cell.source.strip():
            group.append(cell)
        last = following is None or following.cell_type != "code"
        if group and cell.cell_type == "code" and (cell.outputs or last):
            cell.metadata["page"] |= {"code": [c.source for c in group], "cells": _numbers(group), "open": _open(group)}
            group = []


def _numbers(group: list[Any]) -> str:
    first, last = group[0].execution_count, group[-1].execution_count
    return f"cell {first}" if first == last else f"cells {first} to {last}"


def _open(group: list[Any]) -> bool:
    folded = {"hide-input", "parameters", "injected-parameters"}
    return not all(folded & set(record.tags(cell)) for cell in group)


def _footer(cells: list[Any], stated: dict[str, Any]) -> dict[str, Any]:
    source = next((cell.source for cell in cells if "parameters" in record.tags(cell)), "")
    installed = {d.name: d.version for d in map(_distribution, PACKAGES) if d}
    return {"help": parameter_help(source), "versions": {"Python": stated["python"]} | installed}


def _distribution(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
