"""One notebook, run to its end with given parameters."""

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from analysis._core import mime
from analysis._build.kernels.kernel import ReportKernel
from analysis._build.page import record
from analysis._build.page.errors import ReportFailed
from analysis._build.runs.failures import death_words, raised

INJECTED, READ_ID = "injected-parameters", "what-was-read"
# Asks the package, where the notebook has imported it, which tables were read and which rows were shown.
READ = """import sys
try:
    if "analysis" in sys.modules:
        from analysis._display import provenance
        provenance.show()
except Exception as error:  # A page is built also where the package is another one, or half of it.
    print(f"{type(error).__name__}: {error}")
"""


class NoKernel(ReportFailed):
    """The kernel did not answer, so the notebook was not begun."""


class Execution:
    """A notebook being executed: `notebook` is its state so far, also after a failure (None: not begun)."""

    def __init__(self, path: Path, parameters: dict[str, Any], timeout: int) -> None:
        self.path, self.parameters, self.timeout = path, parameters, timeout
        self.notebook: Any = None
        self.cell: int | None = None

    def run(self, kernel: ReportKernel) -> Any:
        """Execute the notebook in a kernel and return it, without any trace of when and where it ran.

        Raises ReportFailed where a cell raises, overruns the time limit or ends the kernel.
        """
        try:
            _execute(self, kernel)
        except Exception as error:
            raise self._failed(error, kernel) from error
        finally:
            if self.notebook is not None:
                take_read(self.notebook)
        refuse_bad_outputs(self.notebook.cells)
        return self.notebook

    def text(self) -> str | None:
        """The notebook as far as it ran, as the text of its file; None where it was not begun."""
        return None if self.notebook is None else nbformat.writes(self.notebook) + "\n"

    def begun(self, notebook: Any) -> None:
        """Called by nbclient when the kernel answers."""
        self.notebook = notebook

    def at_cell(self, cell: Any, cell_index: int) -> None:
        """Called by nbclient before each cell."""
        self.cell = cell_index

    def _failed(self, error: Exception, kernel: ReportKernel) -> ReportFailed:
        if hasattr(error, "ename"):  # nbclient's error for a cell that raised
            words = f"{error.ename}: {error.evalue}" if error.evalue else error.ename
            if error.ename == "SystemExit":
                words = "The cell ended the kernel (sys.exit): no cell after it was run"
            return ReportFailed(words, self.cell, *raised(self.notebook.cells[self.cell], error.traceback, "src"))
        if isinstance(error, TimeoutError):
            return ReportFailed(f"The cell did not finish within the time limit of {self.timeout} s", self.cell)
        if self.notebook is None:
            return NoKernel(f"No kernel started: {error}. {death_words(kernel.exit_status(), kernel.last_words())}")
        if type(error).__name__ == "DeadKernelError":
            return ReportFailed(death_words(kernel.exit_status(), kernel.last_words()), self.cell)
        return ReportFailed(f"{type(error).__name__}: {error}", self.cell)


def take_read(notebook: Any) -> None:
    """Take the cell of READ out again; what it put out goes to the metadata of the code cell before it."""
    asked = [cell for cell in notebook.cells if cell.get("id") == READ_ID]
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") != READ_ID]
    outputs = [output for cell in asked for output in cell.outputs]
    told = [output for output in outputs if mime.PROVENANCE in output.get("data", {})]
    failed = [output.text.strip() for output in outputs if output.get("name") == "stdout"]
    last = next((cell for cell in reversed(notebook.cells) if cell.cell_type == "code"), None)
    if told and last is not None:
        last.metadata[record.READ] = told[-1]
    elif failed and last is not None:
        last.metadata[record.UNREAD] = failed[-1]


def refuse_bad_outputs(cells: list[Any]) -> None:
    """Raise ReportFailed for errors that were let through and cells that did not run."""
    for index, cell in enumerate(cells):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                raise ReportFailed(f"{output.ename}: {output.evalue}", index)
        if cell.cell_type == "code" and cell.source.strip() and not cell.execution_count:
            raise ReportFailed("The cell was not run", index)


def inject(notebook: Any, parameters: dict[str, Any]) -> None:
    """Put a cell with parameters behind that of their defaults, else first: as papermill does, in place of its own."""
    source = "\n".join(["# Parameters", *(f"{name} = {value!r}" for name, value in parameters.items())])
    injected = nbformat.v4.new_code_cell(source, id=INJECTED, metadata={"tags": [INJECTED]})
    cells = [cell for cell in notebook.cells if INJECTED not in record.tags(cell)]
    place = next((number for number, cell in enumerate(cells, 1) if "parameters" in record.tags(cell)), 0)
    notebook.cells = [*cells[:place], injected, *cells[place:]]


def _execute(execution: Execution, kernel: ReportKernel) -> None:
    notebook = nbformat.v4.upgrade(nbformat.read(execution.path, as_version=4))
    if execution.parameters:
        inject(notebook, execution.parameters)
    for cell in notebook.cells:
        if cell.cell_type == "code":  # What was stored is not what ran.
            cell.outputs, cell.execution_count = [], None
    notebook.cells.append(nbformat.v4.new_code_cell(READ, id=READ_ID))
    client = NotebookClient(
        notebook,
        km=kernel,
        timeout=execution.timeout,
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        on_notebook_start=execution.begun,
        on_cell_start=execution.at_cell,
    )
    with client.setup_kernel():  # A cell at a time: what is under way when the kernel is killed ends quietly then.
        for index, cell in enumerate(notebook.cells):
            client.execute_cell(cell, index)
