"""A submitter's configuration from the modules themselves, which are read as text and never executed."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from analysis.importers.official.configuration import Definition, Settings, setting

LARGEST = 1 << 21  # characters of a module that are read
There = Callable[[Path], bool]


class Modules:
    """The modules in `configs`, a submitter's folder; `there` says of a path whether it is a file to be opened."""

    partial = False

    def __init__(self, configs: Path, there: There = Path.is_file) -> None:
        self.configs, self.there = configs, there

    def classes(self, benchmark: str, scenario: str) -> Sequence[Definition]:
        """The classes of the benchmark, then those of its scenario."""
        folder = self.configs / benchmark
        paths = {folder / "__init__.py": False} | dict.fromkeys(sorted((folder / scenario).glob("*.py")), True)
        return [definition for path, own in paths.items() if self.there(path) for definition in _classes(path, own)]

    def fields(self, benchmark: str, scenario: str) -> Mapping[str, Sequence[Settings]]:
        """The dictionaries of each system, whose name is that of its folder."""
        paths = {path.name: path / scenario / f"{benchmark}.py" for path in sorted(self.configs.glob("*/"))}
        return {system: _dictionaries(path) for system, path in paths.items() if self.there(path)}


@lru_cache(maxsize=256)
def _classes(path: Path, own: bool) -> tuple[Definition, ...]:
    """The classes of a module with their own settings."""
    return tuple(_definition(str(path), own, node) for node in _parsed(path) if isinstance(node, ast.ClassDef))


def _definition(place: str, own: bool, node: ast.ClassDef) -> Definition:
    settings: dict[str, Any] = {}
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name, value = statement.targets[0].id, statement.value
            if name == "system":
                settings[name] = ast.unparse(value)
            elif setting(name) == name and isinstance(value, ast.Constant):
                settings[name] = value.value
    bases = tuple(base.id for base in node.bases if isinstance(base, ast.Name))
    return Definition(place, own, node.name, bases, settings)


@lru_cache(maxsize=256)
def _dictionaries(path: Path) -> tuple[Settings, ...]:
    """The settings of each dictionary of a module that has some."""
    nodes = [node for top in _parsed(path) for node in ast.walk(top) if isinstance(node, ast.Dict)]
    return tuple(settings for node in nodes if (settings := _settings(node)))


def _settings(node: ast.Dict) -> Settings:
    """The settings among the fields of a dictionary: a constant, or a member such as Precision.FP16."""
    named = {setting(ast.unparse(key)): value for key, value in zip(node.keys, node.values, strict=True) if key}
    return {
        name: value.value if isinstance(value, ast.Constant) else ast.unparse(value).rpartition(".")[2]
        for name, value in named.items()
        if name
    }


def _parsed(path: Path) -> list[ast.stmt]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # What Python thinks of a submitter's style is no matter of the import.
            return ast.parse(file.read(LARGEST)).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
