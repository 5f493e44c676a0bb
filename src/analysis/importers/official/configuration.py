"""The precision that ran, from a submitter's own configuration module.

NVIDIA's trees (and those of its partners) hold `configs/<benchmark>/<scenario>/__init__.py` with a class per system:
`precision = "fp16"`, and `use_fp8 = True` where the weights ran as FP8. The modules are read as text, never executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

LARGEST = 1 << 21
FLAGS = {"use_fp4": "fp4", "use_fp8": "fp8"}
NAMES = {"precision", *FLAGS}


def precision(
    configs: Path,
    benchmark: str,
    scenario: str,
    platform: str,
    model: str,
    there: Callable[[Path], bool] = Path.is_file,
) -> str:
    """The precision of `platform` ("fp8"), or "" where no module says one, or where several disagree.

    `configs` is the submitter's folder of configurations, `model` the run's name with its accuracy target; `there` says
    of a path whether it is a file to be opened.
    """
    folder = configs / benchmark
    classes: dict[str, dict[str, Any]] = {}
    for path in filter(there, (folder / "__init__.py", *sorted((folder / scenario).glob("*.py")))):
        classes |= _classes(path)
    wanted, strict, capped = _plain(platform), model.endswith("99.9"), "maxq" in platform.lower()
    fitting = {
        name: _plain(str(_resolved(classes, name).get("system") or name).rpartition(".")[2])
        for name in classes
        if ("highaccuracy" in name.lower()) == strict and ("maxq" in name.lower()) == capped
    }
    close = {name: system for name, system in fitting.items() if len(system) > 5 and _within(system, wanted)}
    longest = max(map(len, close.values()), default=0)
    precisions = {_named(_resolved(classes, name)) for name, system in close.items() if len(system) == longest}
    return precisions.pop() if len(precisions) == 1 else ""


def _within(system: str, platform: str) -> bool:
    """Whether the platform's name holds the system's, and not as the start of a longer number: x1 is not x16."""
    return bool(re.search(re.escape(system) + r"(?!\d)", platform))


def _named(settings: dict[str, Any]) -> str:
    flagged = next((name for flag, name in FLAGS.items() if settings.get(flag) is True), "")
    named = settings.get("precision")
    return flagged or (named if isinstance(named, str) else "")


def _resolved(classes: dict[str, dict[str, Any]], name: str, depth: int = 0) -> dict[str, Any]:
    """The settings of a class with those it inherits within the modules."""
    own = classes.get(name, {})
    inherited: dict[str, Any] = {}
    for base in reversed(own.get("bases", [])) if depth < 20 else []:
        inherited |= _resolved(classes, base, depth + 1)
    return inherited | own


@lru_cache(maxsize=64)
def _classes(path: Path) -> dict[str, dict[str, Any]]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            module = ast.parse(file.read(LARGEST))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {node.name: _settings(node) for node in module.body if isinstance(node, ast.ClassDef)}


def _settings(node: ast.ClassDef) -> dict[str, Any]:
    out: dict[str, Any] = {"bases": [base.id for base in node.bases if isinstance(base, ast.Name)]}
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name, value = statement.targets[0].id, statement.value
            if name == "system":
                out[name] = ast.unparse(value)
            elif name in NAMES and isinstance(value, ast.Constant):
                out[name] = value.value
    return out


def _plain(name: str) -> str:
    """Letters and digits, without the words that only platforms have."""
    return re.sub(r"[^a-z0-9]", "", re.sub(r"_?(TRT|Triton|MaxQ)", "", name).lower()).replace("aarch64", "arm")
