"""One report from its plan: executed and exported (`make`), its files put in place (`publish`).

The two are apart because another process, or another machine, may make what this one publishes.
"""

import os
import traceback
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis._core import notebook_cells
from analysis._build.kernels.pool import Kernels
from analysis._build.make.execute import Execution, NoKernel
from analysis._build.make.made import Made, publish
from analysis._build.page import record
from analysis._build.page.errors import ReportFailed
from analysis._build.runs import commits, failures, freshness
from analysis._build.runs.failures import Failure
from analysis._build.runs.freshness import Plan
from analysis._build.runs.folders import Places

TABLE = "TableError: "  # how a cell's error begins where a table of data/ is at fault


@dataclass(frozen=True)
class Builder:
    """Builds reports of one project; may be used by several threads at a time."""

    places: Places
    kernels: Kernels
    timeout: int

    def build(self, plan: Plan) -> Failure | None:
        """Make and publish one report. A failure is returned in words, and leaves an earlier page as it was."""
        return publish(self.make(plan), self.places, lambda: self.kernels.stopping)

    def make(self, plan: Plan) -> Made:
        """Execute and export one report, without touching a file of its own."""
        execution = self._execution(plan)
        try:
            try:
                return self._make(plan, execution)
            except NoKernel:  # Two kernels may have raced for a port: the second start has another one.
                execution = self._execution(plan)
                return self._make(plan, execution)
        except Exception as error:  # Whatever it is, the other reports are still to be built.
            failure = in_words(plan, _as_report_failed(error), execution.notebook, self.places)
            return Made(plan.run.report, failure=failure, notebook=execution.text())

    def prepare(self, plans: Iterable[Plan]) -> None:
        """What the pages of these plans need of the exporter and of their notebooks' code, before they are made."""
        with suppress(Exception):  # Whoever makes a page reports it.
            from analysis._build.page import export

            export.load()
            for notebook in dict.fromkeys(self.places.notebook(plan.run.notebook) for plan in plans):
                export.highlight(notebook_cells.code(notebook))

    def _execution(self, plan: Plan) -> Execution:
        return Execution(self.places.notebook(plan.run.notebook), plan.parameters, self.timeout)

    def _make(self, plan: Plan, execution: Execution) -> Made:
        inputs = freshness.static_inputs(plan.run, self.places)  # as they are before the notebook runs
        with self.kernels.one() as kernel:
            notebook = execution.run(kernel)
            kernel.ask_to_end()  # It ends while the page is made.
            from analysis._build.page import export  # Slow to import: `prepare` does while the first kernel works.

            stated = self._state(plan, notebook, inputs)
            html = export.page(notebook, stated, self.places.up)
            picture = record.picture(notebook.cells)
            return Made(plan.run.report, stated, html, picture and picture.svg)

    def _state(self, plan: Plan, notebook: Any, inputs: dict[str, str]) -> dict[str, Any]:
        run, stated = plan.run, record.state(notebook.cells)
        tables = {self._key(name): digest for name, digest in stated["provenance"]["tables"].items()}
        stated["provenance"]["tables"] = {key.removeprefix("data/"): digest for key, digest in tables.items()}
        inputs = dict(sorted((inputs | tables).items()))
        requested = {name: getattr(run, name) for name in ("report", "notebook", "title", "section")}
        requested |= {"parameters": plan.parameters}
        made_from = {"inputs": inputs, "commit": self._commit(plan, inputs)}
        return requested | stated | made_from | {"digest": freshness.digest(run, plan.parameters, inputs)}

    def _key(self, table: str) -> str:
        """The short name of a file that a notebook read, from its path below data/, which may lead out of there."""
        with suppress(ValueError):  # Outside the project.
            return self.places.key(Path(os.path.normpath(self.places.data / table)))
        return f"data/{table}"

    def _commit(self, plan: Plan, inputs: dict[str, str]) -> dict[str, Any] | None:
        """Where git has the inputs and the run file; not those outside the project, as the engine may be."""
        keys = [key for key in [*inputs, plan.run.file] if key]
        root = self.places.root
        return commits.commit_of((key for key in keys if self.places.path(key).is_relative_to(root)), root)


def in_words(plan: Plan, error: ReportFailed, notebook: Any, places: Places) -> Failure:
    """A failure with where it happened and what to do next; `notebook` is as far as it ran, or None."""
    run, words = plan.run, error.what.replace(f"{places.root}/", "")
    where, again = places.key(places.notebook(run.notebook)), f"then: {run.again}"
    if (places.reports / f"{run.report}.html").exists():
        again += " (that page is still the earlier one)"
    if notebook is None:
        return Failure(run.report, words, where, next=f"Next: put right what is named above, {again}")
    if error.cell is not None:
        where = f"{where}, {failures.cell_words(notebook.cells, error.cell)}"
    executed = places.key(places.failed / f"{run.report}.ipynb")
    wrong = "table" if words.startswith(TABLE) else "cell"
    advice = f"Next: see {executed} (the notebook as far as it ran), put the {wrong} right, {again}"
    return Failure(run.report, words, where, error.line, error.inside, advice)


def _as_report_failed(error: Exception) -> ReportFailed:
    if isinstance(error, ReportFailed):
        return error
    frame = traceback.extract_tb(error.__traceback__)[-1]
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return ReportFailed(
        words, inside=f"raised outside the notebook, in {Path(frame.filename).name}, line {frame.lineno}"
    )
