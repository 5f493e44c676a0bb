"""A submitter's configuration from the modules themselves, which are read as text and never executed."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from analysis._import.official.configuration import SETTINGS, Definition, Settings, setting
from analysis._import.official.tree import listed

Class = tuple[str, tuple[str, ...], Settings]  # name, bases, settings of its own


class Modules:
    """The modules in `configs`, a submitter's folder; `is_file` says of a path whether it may be opened."""

    partial = False

    def __init__(self, configs: str, is_file: Callable[[str], bool] = os.path.isfile) -> None:
        self.configs, self.is_file = configs, is_file

    def classes(self, benchmark: str, scenario: str) -> Sequence[Definition]:
        """The classes of the benchmark, then those of its scenario."""
        folder = f"{self.configs}/{benchmark}"
        paths = {f"{folder}/__init__.py": False}
        paths |= {f"{folder}/{scenario}/{name}": True for name in listed(f"{folder}/{scenario}", ".py")}
        return [Definition(path, is_of, *each) for path, is_of in paths.items() for each in self._parsed(path)[0]]

    def fields(self, benchmark: str, scenario: str) -> Mapping[str, Sequence[Settings]]:
        """The dictionaries of each system, whose name is that of its folder."""
        paths = {system: f"{self.configs}/{system}/{scenario}/{benchmark}.py" for system in listed(self.configs)}
        return {system: self._parsed(path)[1] for system, path in paths.items()}

    def _parsed(self, path: str) -> tuple[Sequence[Class], Sequence[Settings]]:
        if not self.is_file(path):
            return (), ()
        return _parsed(Path(path).read_text("utf-8", errors="replace"))


@lru_cache(maxsize=512)  # Submitters copy each other's modules.
def _parsed(text: str) -> tuple[Sequence[Class], Sequence[Settings]]:
    """The classes of a module with their own settings, and the settings of each of its dictionaries that has some."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # What Python thinks of a submitter's style is no matter of the import.
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (), ()
    classes = [_class(node) for node in module.body if isinstance(node, ast.ClassDef)]
    dictionaries = [_settings(node) for node in ast.walk(module) if isinstance(node, ast.Dict)]
    return classes, list(filter(None, dictionaries))


def _class(node: ast.ClassDef) -> Class:
    settings: dict[str, Any] = {}
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name, value = statement.targets[0].id, statement.value
            if name == "system":
                settings[name] = ast.unparse(value)
            elif name in SETTINGS and isinstance(value, ast.Constant):
                settings[name] = value.value
    return node.name, tuple(base.id for base in node.bases if isinstance(base, ast.Name)), settings


def _settings(node: ast.Dict) -> Settings:
    """The settings among the fields of a dictionary: a constant, or a member such as Precision.FP16."""
    settings: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Attribute | ast.Name) and (name := setting(ast.unparse(key))):
            is_constant = isinstance(value, ast.Constant)
            settings[name] = value.value if is_constant else ast.unparse(value).rpartition(".")[2]
    return settings
