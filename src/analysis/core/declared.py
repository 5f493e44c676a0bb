"""The model of a notebook's parameters as its own parameters cell declares them.

A new notebook needs no code: each line `name: type = value  # help` becomes a strict field. A name that every report
has keeps the checks that it has there.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, create_model

from analysis.core import syntax

TYPES = {"int": int, "float": float, "str": str, "bool": bool, "list": list}


class DeclarationError(ValueError):
    """A parameters cell does not declare its parameters; the text names the notebook and the line."""


def model(notebook: Path, base: type[BaseModel]) -> type[BaseModel]:
    """The model of the cell tagged `parameters`; fields that `base` has too are typed as there.

    Raises DeclarationError for a notebook without such a cell, or a line that is no typed parameter with a value.
    """
    fields: dict[str, Any] = {}
    for node in _statements(notebook):
        name, kind, value = _declaration(node, notebook)
        base_field = base.model_fields.get(name)
        fields[name] = (base_field.rebuild_annotation() if base_field else kind, value)
    return create_model(notebook.stem, __config__=base.model_config, **fields)


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
    if len(tagged) != 1:
        raise DeclarationError(f"{notebook.name}: {len(tagged)} cells are tagged 'parameters'; expected one")
    return tagged[0]


def _declaration(node: ast.stmt, notebook: Path) -> tuple[str, type, Any]:
    line = f"{notebook.name}, parameters cell, line {node.lineno}"
    if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name) or node.value is None:
        raise DeclarationError(f"{line}: expected `name: type = value  # help`")
    kind = ast.unparse(node.annotation)
    if kind not in TYPES:
        raise DeclarationError(f"{line}: no type {kind!r} for {node.target.id}; valid: {', '.join(TYPES)}")
    try:
        return node.target.id, TYPES[kind], ast.literal_eval(node.value)
    except ValueError:
        raise DeclarationError(f"{line}: the value of {node.target.id} must be written out, not computed") from None
