"""The papermill engine `forked`: run a notebook's cells by IPython in the process that was forked for it.

`pyproject.toml` registers it, and papermill imports it from there: import `papermill`, not this module.
"""

from __future__ import annotations

import io
import os
import sys
from types import SimpleNamespace
from typing import Any

from ipykernel.zmqshell import ZMQInteractiveShell
from jupyter_client.session import Session
from nbclient import NotebookClient
from nbformat import NotebookNode
from papermill.engines import Engine, NotebookExecutionManager
from traitlets.config import Config

LARGEST_OUTPUT = 8 * 2**20  # characters of one output
LARGEST_OUTPUTS = 32 * 2**20  # characters of all outputs of a notebook


class OutputTooLarge(Exception):
    """Raised for an output too large for a page. The message has its size and the limit."""


class ForkEngine(Engine):
    """papermill's engine `forked`. Call it in a process of its own: what cells change in it is not undone."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: NotebookExecutionManager, kernel_name: str, **_: Any) -> None:
        """Execute the cells in order until one fails, as papermill's own engine does."""
        messages = Messages(nb_man.nb)
        shell = start(messages)
        for index, cell in enumerate(nb_man.nb.cells):
            if cell.cell_type == "code" and cell.source.strip():
                nb_man.cell_start(cell, index)
                messages.start(cell, index)
                cell.execution_count = shell.execution_count
                if not shell.run_cell(cell.source, store_history=True).success:
                    nb_man.cell_exception(cell, index)
                    break
                nb_man.cell_complete(cell, index)


class Messages(Session):
    """Collect a kernel's messages while a cell runs; nbclient turns them into the outputs of that cell."""

    def __init__(self, notebook: NotebookNode) -> None:
        super().__init__()
        self.client, self.size = NotebookClient(notebook), 0
        self.start(NotebookNode(outputs=[]), 0)

    def start(self, cell: NotebookNode, index: int) -> None:
        """Direct the messages that follow to the outputs of this cell."""
        self.cell, self.index, self.client.clear_before_next_output = cell, index, False

    def send(self, _: Any, message: Any, content: Any = None, *__: Any, **___: Any) -> None:
        """Add a message to the outputs of the cell. Raises OutputTooLarge."""
        message = message if isinstance(message, dict) else self.msg(message, content)
        content, last = message["content"], self.cell.outputs[-1] if self.cell.outputs else {}
        follows = message["msg_type"] == "stream" and last.get("name") == content["name"]
        added = sum(len(str(each)) for each in (content.get("data") or {"": content.get("text", "")}).values())
        sizes = (added, LARGEST_OUTPUT, "an output"), (self.size + added, LARGEST_OUTPUTS, "the outputs")
        for size, limit, what in sizes:
            if size > limit:
                raise OutputTooLarge(f"{what} of {size:,} characters; at most {limit:,} fit on a page")
        self.size += added
        if follows and not self.client.clear_before_next_output:
            last.text += content["text"]
        else:
            self.client.process_message(message, self.cell, self.index)


class Stream(io.TextIOBase):
    """Standard output or error of the cells."""

    def __init__(self, name: str, messages: Messages) -> None:
        self.name, self._messages = name, messages

    def write(self, text: str) -> int:
        """Append to the cell's outputs."""
        if text:
            self._messages.send(None, "stream", {"name": self.name, "text": text})
        return len(text)

    def writable(self) -> bool:
        """Return True: the stream can be written to."""
        return True


def start(messages: Messages) -> ZMQInteractiveShell:
    """Set this process up to run a notebook's cells like a kernel."""
    config = Config({"HistoryManager": {"enabled": False}, "InteractiveShell": {"colors": "nocolor"}})
    shell = ZMQInteractiveShell.instance(config=config, kernel=SimpleNamespace(eventloop=None))
    shell.displayhook.session = shell.display_pub.session = messages
    shell.enable_gui = lambda gui=None: None  # there is no window to draw in
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    if "matplotlib" in sys.modules:  # otherwise importing it does this
        shell.enable_matplotlib("inline")
    sys.stdout, sys.stderr = Stream("stdout", messages), Stream("stderr", messages)
    if "" not in sys.path:  # modules next to the notebook, as with a kernel: after those of Python
        packages = (place for place, folder in enumerate(sys.path) if folder.endswith("-packages"))
        sys.path.insert(next(packages, len(sys.path)), "")
    if "numpy" in sys.modules:  # `random` reseeds itself after a fork, numpy's global generator does not
        sys.modules["numpy"].random.seed()
    if "pandas" in sys.modules:  # which found a terminal in the parent process
        sys.modules["pandas"].set_option("display.max_columns", 20)
    return shell
