"""Execute one notebook with its parameters, and describe what went wrong."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

from analysis import paths
from analysis.pages.opened import Opened
from analysis.pages.runs import Report, read_notebook

ANSI = re.compile(r"\x1b\[[0-9;]*m")
LONGEST = 2000  # most characters of an error message


@dataclass(frozen=True)
class Executed:
    """An executed notebook. `failure` and `no_data` are messages, "" where there is nothing to report."""

    notebook: Any
    opened: dict[str, str]  # digests of the files that it opened
    failure: str = ""
    no_data: str = ""


def execute(report: Report) -> Executed:
    """Run the notebook of a report in its folder and in this process; papermill inserts the parameters.

    A cell that raises NoData ends the notebook, whose later cells are dropped, without being a failure.
    """
    from analysis.pages import schema  # noqa: F401 - before nbformat is imported

    # isort: split
    from nbformat import v4
    from papermill.engines import papermill_engines
    from papermill.parameterize import parameterize_notebook

    notebook = v4.upgrade(v4.to_notebook(read_notebook(report.notebook)))
    notebook.metadata["papermill"] = {}
    if report.parameters:
        notebook = parameterize_notebook(notebook, report.parameters, kernel_name="python3", language="python")
    os.chdir(paths.NOTEBOOKS)
    opened = Opened()
    notebook = papermill_engines.execute_notebook_with_engine("forked", notebook, "python3", progress_bar=False)
    files = opened.digests()
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "error" and output.ename == "NoData":
                cell.outputs.remove(output)
                del notebook.cells[index + 1 :]  # they describe results that are missing
                return Executed(notebook, files, no_data=output.evalue[:LONGEST])
            if output.output_type == "error":
                return Executed(notebook, files, failure=_failure(notebook.cells, index, output))
    return Executed(notebook, files)


def _failure(cells: list[Any], index: int, error: Any) -> str:
    """Return where a cell failed and with what: its number, heading, line, the error, and the place in src/."""
    cell, own = cells[index], [each for each in cells if "injected-parameters" not in each.metadata.tags]
    where = f"cell {own.index(cell) + 1} of {len(own)}" if cell in own else "the parameters of the run file"
    text = "\n".join(each.source for each in cells[:index] if each.cell_type == "markdown")
    headings = re.findall(r"^#{1,6} +(.+)", text, re.MULTILINE)
    where += f', under "{headings[-1].strip()}"' if headings else ""
    trace, lines = ANSI.sub("", "\n".join(error.traceback)), cell.source.splitlines()
    in_cell = [int(n) for n in re.findall(r"Cell In\[\d+\], line (\d+)", trace) if int(n) <= len(lines)]
    where += f", line {in_cell[0]}: {lines[in_cell[0] - 1].strip()[:LONGEST]}" if in_cell else ""
    inside = re.findall(r"File (?:\S*/)?(src/analysis/\S+?):(\d+)", trace)
    said = f"{error.ename}: {error.evalue}"[:LONGEST]
    return "\n".join([where, said, *(f"raised in {file}, line {number}" for file, number in inside[-1:])])
