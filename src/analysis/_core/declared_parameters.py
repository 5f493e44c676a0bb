"""The model of a notebook's parameters as its own parameters cell declares them.

A line `name = value` or `name: type = value` becomes a field of the value's or the stated type, which a run file may
set; what is computed in the cell is no parameter. Which values some names may have is reported by the caller.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, create_model

from analysis._core.notebook_cells import NotANotebook, assigned, cells

TYPES = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "dict": dict}


class DeclarationError(ValueError):
    """A parameters cell cannot be read; the text names the notebook and the line."""


def model(notebook: Path, base: type[BaseModel], types: Mapping[str, Any]) -> type[BaseModel]:
    """The model of the cell tagged `parameters`, on `base`; `types` has those of some names, in place of the stated.

    A notebook without such a cell has no parameters. Raises DeclarationError for a cell that is not Python and a file
    that is no notebook.
    """
    fields: dict[str, Any] = {}
    try:
        source = next((cell.source for cell in cells(notebook) or () if "parameters" in cell.tags), "")
        for name, node in assigned(source):
            with suppress(ValueError):  # A computed value.
                default = ast.literal_eval(node.value)
                fields[name] = (types.get(name) or _kind(node, default), default)
    except NotANotebook as error:
        raise DeclarationError(f"{notebook.name}: {error}") from None
    except SyntaxError as error:
        where = f"{notebook.name}, parameters cell, line {error.lineno}"
        raise DeclarationError(f"{where}: is not Python: {error.msg}") from None
    return create_model(notebook.stem, __base__=base, **fields)


def _kind(node: ast.Assign | ast.AnnAssign, default: Any) -> Any:
    """The stated type, else that of the default."""
    stated = ast.unparse(node.annotation).partition("[")[0] if isinstance(node, ast.AnnAssign) else ""
    return TYPES.get(stated) or (int | float if type(default) is int else TYPES.get(type(default).__name__, Any))
