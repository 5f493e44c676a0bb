"""A builder that runs no cell again where the words of a notebook were edited and nothing that its cells read.

What code cells put out follows from them, from the parameters and from the files that freshness knows of. While all of
these are as they were, an edit of the words takes the outputs of the last run, and the page is the same bytes.
"""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import nbformat

from analysis._build.make.build import Builder
from analysis._build.make.execute import INJECTED_ID, Execution
from analysis._build.make.made import Made
from analysis._build.page import record
from analysis._build.runs import freshness
from analysis._build.runs.freshness import Plan


@dataclass(frozen=True)
class _Run:
    """One run of a notebook: of what, the tables that it read with their digests, and what came of it."""

    made_of: tuple[Any, ...]
    tables: dict[str, str]
    notebook: Any


@dataclass(frozen=True)
class RewordingBuilder(Builder):
    """A builder that keeps the last run of each report."""

    last: dict[str, _Run] = field(default_factory=dict)

    def _of(self, plan: Plan, execution: Execution, inputs: dict[str, str]) -> Made:
        run = self.last.get(plan.run.report)
        if run is None or freshness.current(run.tables, self.places) != run.tables:
            return super()._of(plan, execution, inputs)
        stored = nbformat.read(execution.path, as_version=4)
        if self._made_of(plan, inputs, stored) != run.made_of:
            return super()._of(plan, execution, inputs)
        execution.notebook = _reworded(run.notebook, stored)
        return self._finished(plan, execution.notebook, inputs)

    def _finished(self, plan: Plan, notebook: Any, inputs: dict[str, str]) -> Made:
        tables = record.provenance(notebook.cells)["tables"]
        read = {f"data/{name}": digest for name, digest in tables.items()}
        self.last[plan.run.report] = _Run(self._made_of(plan, inputs, notebook), read, deepcopy(notebook))
        return super()._finished(plan, notebook, inputs)

    def _made_of(self, plan: Plan, inputs: dict[str, str], notebook: Any) -> tuple[Any, ...]:
        """All that decides what the cells of a notebook put out, but for the tables that they read."""
        notebook_key = self.places.key(self.places.notebook(plan.run.notebook))
        code = [(cell.source, record.tags(cell)) for cell in _code(notebook) if not _injected(cell)]
        return plan.parameters, {key: digest for key, digest in inputs.items() if key != notebook_key}, code


def _code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _injected(cell: Any) -> bool:
    return cell.get("id") == INJECTED_ID


def _reworded(run: Any, stored: Any) -> Any:
    """A notebook that ran, with the words of the stored one, whose code is the same."""
    reworded = deepcopy(run)
    ran, reworded.cells = _code(reworded), []
    while ran and _injected(ran[0]):  # Where no cell is tagged `parameters`, papermill puts its own in front.
        reworded.cells.append(ran.pop(0))
    for cell in stored.cells:
        reworded.cells.append(ran.pop(0) if cell.cell_type == "code" else cell)
        while cell.cell_type == "code" and ran and _injected(ran[0]):
            reworded.cells.append(ran.pop(0))
    return reworded
