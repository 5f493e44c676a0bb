"""The papermill engine that runs a notebook's cells in a process of its own, forked from a warm one.

`pyproject.toml` registers it as `forked`, and papermill imports it from there: import `papermill`, not this module.
"""

from __future__ import annotations

from typing import Any

from papermill.engines import Engine, NotebookExecutionManager


class ForkEngine(Engine):
    """papermill's engine `forked`: cells run by IPython in this process, which was forked for one notebook."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: NotebookExecutionManager, kernel_name: str, **_: Any) -> None:
        """Execute the cells in order until one fails, as papermill's own engine does."""
        from analysis.build.shell import start

        shell = start("\n".join(cell.source for cell in nb_man.nb.cells))
        for index, cell in enumerate(nb_man.nb.cells):
            if cell.cell_type == "code":
                nb_man.cell_start(cell, index)
                passed = shell.run(cell)
                if not passed:
                    nb_man.cell_exception(cell, index)
                    break
                nb_man.cell_complete(cell, index)
