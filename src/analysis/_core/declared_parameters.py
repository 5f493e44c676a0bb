"""The model of a notebook's parameters as its own parameters cell declares them.

A line `name = value` or `name: type = value` becomes a field of the value's or the stated type, which a run file may
set; what is computed in the cell is no parameter. Which values some names may have is reported by the caller.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, create_model

from analysis._core import syntax

TYPES = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "dict": dict}


class DeclarationError(ValueError):
    """A parameters cell cannot be read; the text names the notebook and the line."""


def model(notebook: Path, base: type[BaseModel], types: Mapping[str, Any]) -> type[BaseModel]:
    """The model of the cell tagged `parameters`, on `base`; `types` has those of some names, in place of the stated.

    A notebook without such a cell has no parameters. Raises DeclarationError for a cell that is not Python and a file
    that is no notebook.
    """
    fields: dict[str, Any] = {}
    for node in _statements(notebook):
        if (declared := _declared(node)) is not None:
            name, kind, value = declared
            fields[name] = (types.get(name, kind), value)
    return create_model(notebook.stem, __base__=base, **fields)


def _statements(notebook: Path) -> list[ast.stmt]:
    try:
        return syntax.tree(_parameters_cell(notebook)).body
    except SyntaxError as error:
        where = f"{notebook.name}, parameters cell, line {error.lineno}"
        raise DeclarationError(f"{where}: is not Python: {error.msg}") from None


def _parameters_cell(notebook: Path) -> str:
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        tagged = ["".join(cell["source"]) for cell in cells if "parameters" in cell["metadata"].get("tags", [])]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DeclarationError(f"{notebook.name}: is not a whole notebook: {error!r}") from None
    return tagged[0] if tagged else ""


def _declared(node: ast.stmt) -> tuple[str, Any, Any] | None:
    """Name, type and default of a parameter; None for any other statement, and for a computed value."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    target = targets[0] if len(targets) == 1 else None
    value = getattr(node, "value", None)
    if not isinstance(target, ast.Name) or value is None:
        return None
    try:
        default = ast.literal_eval(value)
    except ValueError:
        return None
    stated = ast.unparse(node.annotation).partition("[")[0] if isinstance(node, ast.AnnAssign) else ""
    kind = TYPES.get(stated) or (int | float if type(default) is int else TYPES.get(type(default).__name__, Any))
    return target.id, kind, default
