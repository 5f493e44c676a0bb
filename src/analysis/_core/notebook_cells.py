"""The cells of notebook files, and the statements of a parameters cell."""

from __future__ import annotations

import ast
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from analysis._core.file_contents import of_file

# CPython 3.11 keeps the depth of a tree under construction per interpreter, not per thread: two threads that parse at
# once can fail with "AST constructor recursion depth mismatch".
_PARSING = threading.Lock()


class NotANotebook(ValueError):
    """A file is no notebook of format 4, or half of one; the text says why, to follow its name."""


class Cell(NamedTuple):
    """A cell as its file has it."""

    kind: str
    source: str
    tags: list[str]
    attachments: Any
    id: str


def cells(notebook: Path) -> list[Cell] | None:
    """The cells of a notebook file, read once for each version of it; None where there is none.

    Raises NotANotebook.
    """
    return of_file(notebook, _cells)


def _cells(notebook: Path) -> list[Cell]:
    try:
        return [
            Cell(
                cell["cell_type"],
                "".join(cell["source"]),
                cell["metadata"].get("tags", []),
                cell.get("attachments"),
                cell.get("id", f"cell-{number}"),
            )
            for number, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"], start=1)
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotANotebook(f"is not a whole notebook: {error!r}") from None


def code(notebook: Path) -> list[str]:
    """The source of each code cell of a notebook file. Raises NotANotebook."""
    return [cell.source for cell in cells(notebook) or () if cell.kind == "code"]


def tree(source: str) -> ast.Module:
    """What `ast.parse` makes of code, of one thread at a time. Raises SyntaxError."""
    with _PARSING:
        return ast.parse(source)


def assigned(source: str) -> Iterator[tuple[str, ast.Assign | ast.AnnAssign]]:
    """Each statement `name = value` or `name: type = value` of code, behind its name. Raises SyntaxError."""
    for node in tree(source).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and getattr(node, "value", None) is not None:
            yield targets[0].id, node
