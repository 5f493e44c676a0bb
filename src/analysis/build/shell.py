"""Run cells with IPython in this process, their outputs appended as a kernel would have sent them.

The process is one that was forked for one notebook: nothing here undoes what a cell does to it.
"""

from __future__ import annotations

import base64
import io
import os
import re
import sys
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from nbformat import NotebookNode
from nbformat.v4 import new_output
from traitlets.config import Config

LARGEST_OUTPUT = 8 * 2**20  # characters of one output
LARGEST_OUTPUTS = 32 * 2**20  # characters of all outputs of a notebook
INLINE = "module://matplotlib_inline.backend_inline"


class OutputTooLarge(Exception):
    """An output that no page can carry; the text says how large and what is allowed."""


class Outputs:
    """The outputs of the cell that runs, with the display ids by which later calls replace them."""

    def __init__(self) -> None:
        self.cell: list[NotebookNode] = []
        self.by_display_id: dict[str, list[NotebookNode]] = {}
        self.size, self.clear_next = 0, False

    def start(self, outputs: list[NotebookNode]) -> None:
        """Send what follows to `outputs`, the list of the next cell."""
        self.cell, self.clear_next = outputs, False

    def add(self, output: NotebookNode, size: int) -> None:
        """Append one output of `size` characters. Raises OutputTooLarge."""
        self._grow(size, size)
        if self.clear_next:
            self.clear()
        self.cell.append(output)

    def write(self, name: str, text: str) -> None:
        """Append `text` to the stream `name`, to the same output as long as nothing else came between."""
        last = self.cell[-1] if self.cell and not self.clear_next else None
        if last is not None and last.output_type == "stream" and last.name == name:
            self._grow(len(text), len(last.text) + len(text))
            last.text += text
        elif text:
            self.add(new_output("stream", name=name, text=text), len(text))

    def clear(self, wait: bool = False) -> None:
        """Remove the outputs of the cell, now or (`wait`) when the next one comes."""
        self.clear_next = wait
        if not wait:
            self.cell.clear()

    def _grow(self, added: int, output: int) -> None:
        self.size += added
        for size, limit, what in ((output, LARGEST_OUTPUT, "an output"), (self.size, LARGEST_OUTPUTS, "the outputs")):
            if size > limit:
                self.size -= added
                raise OutputTooLarge(f"{what} of {size:,} characters; at most {limit:,} fit on a page")


class Publisher(DisplayPublisher):
    """What `display` calls: appends, replaces, and clears outputs."""

    def publish(self, data: dict, metadata: dict | None = None, **options: Any) -> None:
        """Append a bundle of representations, or replace earlier ones of the same display id."""
        data, name = _as_text(data), (options.get("transient") or {}).get("display_id")
        if options.get("update"):
            for output in self.shell.outputs.by_display_id.get(name, []):
                output.data, output.metadata = NotebookNode(data), NotebookNode(metadata or {})
            return
        output = new_output("display_data", data=data, metadata=metadata or {})
        self.shell.outputs.add(output, _size(data))
        if name:
            self.shell.outputs.by_display_id.setdefault(name, []).append(output)

    def clear_output(self, wait: bool = False) -> None:
        """Remove the outputs of the cell."""
        self.shell.outputs.clear(wait)


class ResultHook(DisplayHook):
    """What shows the value of a cell's last expression."""

    def write_output_prompt(self) -> None:
        """Write no prompt: the output carries its number."""

    def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
        """Append the value as the cell's result."""
        data = _as_text(format_dict)
        output = new_output("execute_result", data=data, metadata=md_dict or {})
        output.execution_count = self.shell.running
        self.shell.outputs.add(output, _size(data))

    def finish_displayhook(self) -> None:
        """Write no line end."""


class Stream(io.TextIOBase):
    """Standard output or error of the cells."""

    def __init__(self, name: str, outputs: Outputs) -> None:
        self.name, self._outputs = name, outputs

    def write(self, text: str) -> int:
        """Append to the cell's outputs."""
        self._outputs.write(self.name, text)
        return len(text)

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True


class ZMQInteractiveShell(InteractiveShell):
    """An InteractiveShell whose outputs, errors among them, become those of notebook cells.

    Its name is ipykernel's and it has a `kernel`: pandas, rich, and others know a notebook by that.
    """

    kernel = None

    def __init__(self, **options: Any) -> None:
        self.outputs, self.running = Outputs(), 0  # the number of the cell that runs
        config = Config({"HistoryManager": {"enabled": False}, "InteractiveShell": {"colors": "nocolor"}})
        super().__init__(config=config, display_pub_class=Publisher, displayhook_class=ResultHook, **options)
        self.system = self.system_piped
        os.environ["MPLBACKEND"] = INLINE
        if "matplotlib" in sys.modules:  # otherwise its import sees to that
            self.enable_matplotlib("inline")

    def enable_gui(self, gui: str | None = None) -> None:
        """Do nothing: there is no window to draw in."""

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        error = new_output("error", ename=etype.__name__, evalue=str(evalue)[:4000], traceback=stb)
        self.outputs.cell.append(error)

    def run(self, cell: NotebookNode) -> bool:
        """Execute one code cell and fill its outputs; return whether it raised nothing."""
        cell.outputs = []
        self.outputs.start(cell.outputs)
        if not cell.source.strip():
            return True
        cell.execution_count = self.running = self.running + 1
        return self.run_cell(cell.source, store_history=True).success


def start(source: str = "") -> ZMQInteractiveShell:
    """Make this process one that runs a notebook's cells, whose code is `source`, as if it were its kernel."""
    if "matplotlib" in sys.modules and not re.search(r"\b(charts|report)\b", source):
        sys.modules["matplotlib"].rc_file_defaults()  # the process above has the theme that only these import
    shell = ZMQInteractiveShell.instance()
    sys.stdout, sys.stderr = Stream("stdout", shell.outputs), Stream("stderr", shell.outputs)
    if "" not in sys.path:
        sys.path.insert(0, "")  # modules beside the notebook, as with a kernel
    if "numpy" in sys.modules:  # `random` sees to itself after a fork, numpy's global generator does not
        sys.modules["numpy"].random.seed()
    if "pandas" in sys.modules:  # which took the process above for a terminal
        sys.modules["pandas"].set_option("display.max_columns", 20)
    return shell


def _as_text(data: dict) -> dict:
    """Return a bundle of representations as a notebook stores it: bytes in base64."""
    return {kind: base64.b64encode(each).decode() if isinstance(each, bytes) else each for kind, each in data.items()}


def _size(data: dict) -> int:
    return sum(len(each) if isinstance(each, str) else len(repr(each)) for each in data.values())
