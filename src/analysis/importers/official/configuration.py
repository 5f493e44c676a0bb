"""The precision that ran, from a submitter's own configuration modules, which are read as text and never executed.

NVIDIA's trees (and those of its partners) hold two layouts of them. Until v4.1 `configs/<benchmark>/<scenario>/*.py`
has a class per system: `precision = "fp16"`, and `use_fp8 = True` where the weights ran as FP8. From v5.0 on
`configs/<system>/<scenario>/<benchmark>.py` has dictionaries of fields: `model_fields.precision: 'fp4'`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from analysis.core import vocabulary
from analysis.core.vocabulary import PRECISIONS

LARGEST = 1 << 21
FLAGS = {"use_fp4": "fp4", "use_fp8": "fp8"}
NAMES = {"precision", *FLAGS}
FIELDS = "model_fields."
_WORDS = re.compile(r"_?(TRT|Triton|MaxQ|High_?Accuracy)")  # of platforms and classes, not of systems
_SIZE = r"(?:\d+g[bi]b?)?(?:arm|aarch64)?(?:x\d+)?$"  # what may follow an accelerator in the plain name of a system
There = Callable[[Path], bool]


@dataclass(frozen=True)
class Asked:
    """The run whose precision is asked for: `names` are those of its benchmark, `model` that with the target."""

    names: tuple[str, ...]
    scenario: str
    platform: str
    model: str
    accelerator: str = ""


def precision(configs: Path, asked: Asked, there: There = Path.is_file) -> str:
    """The precision of a run ("fp8"), or "" where no module says one, or where several disagree.

    That of the system itself counts, else the one that the modules have for its accelerator in every system. `configs`
    is the submitter's folder of configurations; `there` says of a path whether it is a file to be opened.
    """
    capped = "maxq" in asked.platform.lower()
    layouts = [lambda: _of_classes(configs, asked, there, capped=capped), lambda: _of_fields(configs, asked, there)]
    if capped:  # A cap changes no weights: where no class of a capped system says it, the others do.
        layouts.insert(1, lambda: _of_classes(configs, asked, there, capped=False))
    for precisions in (layout() for layout in layouts):
        own = _systems_own(precisions, asked.platform)
        alike = {system: named for system, named in precisions.items() if _is_of(system, asked.accelerator)}
        for systems in (own, alike):
            named = {name for names in systems.values() for name in names}
            if named:
                return named.pop() if len(named) == 1 else ""
    return ""


def _systems_own(precisions: Mapping[str, set[str]], platform: str) -> dict[str, set[str]]:
    """The precisions of the system that the platform's name holds, of several the one with the longest name."""
    close = {
        system: named for system, named in precisions.items() if len(system) > 5 and _within(system, _plain(platform))
    }
    longest = max(map(len, close), default=0)
    return {system: named for system, named in close.items() if len(system) == longest}


def _is_of(system: str, accelerator: str) -> bool:
    """Whether the plain name of a system ends with an accelerator: L40 is that of L40x1 and not of L40Sx1."""
    return bool(accelerator) and bool(re.search(re.escape(_plain(accelerator)) + _SIZE, system))


def _of_classes(configs: Path, asked: Asked, there: There, *, capped: bool) -> dict[str, set[str]]:
    """What the classes of the older layout say, by the plain name of the system."""
    strict = asked.model.endswith("99.9")
    precisions: dict[str, set[str]] = {}
    for benchmark in asked.names:
        folder, classes = configs / benchmark, {}
        for path in filter(there, (folder / "__init__.py", *sorted((folder / asked.scenario).glob("*.py")))):
            classes |= _classes(path)
        for name in classes:
            resolved, plain = _resolved(classes, name), name.lower().replace("_", "")
            if ("highaccuracy" in plain) == strict and ("maxq" in plain) == capped and (named := _named(resolved)):
                precisions.setdefault(_plain(str(resolved.get("system") or name).rpartition(".")[2]), set()).add(named)
    return precisions


def _of_fields(configs: Path, asked: Asked, there: There) -> dict[str, set[str]]:
    """What the fields of the newer layout say, by the plain name of the system, which is that of its folder."""
    precisions: dict[str, set[str]] = {}
    for system in sorted(configs.glob("*/")):
        for benchmark in asked.names:
            path = system / asked.scenario / f"{benchmark}.py"
            if there(path) and (named := _fields(path)):
                precisions.setdefault(_plain(system.name), set()).update(named)
    return precisions


def _within(system: str, platform: str) -> bool:
    """Whether the platform's name holds the system's, and not as the start of a longer number: x1 is not x16."""
    return bool(re.search(re.escape(system) + r"(?!\d)", platform))


def _named(settings: Mapping[str, Any]) -> str:
    """The precision of some settings, "" where they name none that is known."""
    flagged = next((name for flag, name in FLAGS.items() if settings.get(flag) is True), "")
    named = flagged or vocabulary.precision(str(settings.get("precision", "")))
    return named if named in PRECISIONS else ""


def _resolved(classes: dict[str, dict[str, Any]], name: str, depth: int = 0) -> dict[str, Any]:
    """The settings of a class with those it inherits within the modules."""
    own = classes.get(name, {})
    inherited: dict[str, Any] = {}
    for base in reversed(own.get("bases", [])) if depth < 20 else []:
        inherited |= _resolved(classes, base, depth + 1)
    return inherited | own


@lru_cache(maxsize=256)
def _classes(path: Path) -> dict[str, dict[str, Any]]:
    """The classes of a module with their own settings, by name."""
    return {node.name: _settings(node) for node in _parsed(path) if isinstance(node, ast.ClassDef)}


@lru_cache(maxsize=256)
def _fields(path: Path) -> frozenset[str]:
    """The precisions that the dictionaries of a module name."""
    dictionaries = [node for top in _parsed(path) for node in ast.walk(top) if isinstance(node, ast.Dict)]
    return frozenset(named for node in dictionaries if (named := _named(dict(_items(node)))))


def _items(node: ast.Dict) -> Iterator[tuple[str, Any]]:
    """The fields of a dictionary that say a precision: a constant, or a member such as Precision.FP16."""
    for key, value in zip(node.keys, node.values, strict=True):
        name = ast.unparse(key).removeprefix(FIELDS) if key else ""
        if name in NAMES:
            yield name, value.value if isinstance(value, ast.Constant) else ast.unparse(value).rpartition(".")[2]


def _parsed(path: Path) -> list[ast.stmt]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return ast.parse(file.read(LARGEST)).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []


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
    return re.sub(r"[^a-z0-9]", "", _WORDS.sub("", name).lower()).replace("aarch64", "arm")
