"""What changed between two states of a notebook, as an nbdime diff in a terminal."""

import copy
import io
from typing import Any

from analysis._core import mime
from analysis._core.file_contents import sha256
from analysis._build.page import record

LINES = 60


def diff(before: Any, after: Any, lines: int = LINES) -> str:
    """The diff of two notebooks without colors, at most so many lines; empty where nbdime is not installed."""
    try:
        from nbdime import diff_notebooks
        from nbdime.prettyprint import PrettyPrintConfig, pretty_print_notebook_diff
    except ImportError:
        return ""
    first, second = _readable(before), _readable(after)
    out = io.StringIO()
    config = PrettyPrintConfig(out=out, use_color=False)
    pretty_print_notebook_diff("stored", "executed", first, diff_notebooks(first, second), config)
    shown = [line for line in out.getvalue().splitlines() if line.strip()][3:]  # without nbdime's heading
    more = [f"... and {len(shown) - lines} lines more: make dev, then git diff"] if len(shown) > lines else []
    return "\n".join(shown[:lines] + more)


def _readable(notebook: Any) -> Any:
    """The notebook with outputs reduced to their words, and figures to whether they are the same drawing.

    Markup and drawings are no diff that people read; their words are in `text/plain` beside them.
    """
    notebook = copy.deepcopy(notebook)
    for output in record.outputs(notebook.cells):
        data = output.get("data", {})
        drawing = f" (drawing {sha256(data[mime.SVG])[:6]})" if mime.SVG in data else ""
        if mime.PLAIN in data:
            output["data"] = {mime.PLAIN: data[mime.PLAIN] + drawing}
        output.pop("metadata", None)
    return notebook
