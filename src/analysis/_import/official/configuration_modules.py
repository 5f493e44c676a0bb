"""A submitter's configuration from the modules themselves, which are read as text and never executed."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from analysis._import.official.configuration import SETTINGS, Definition, Settings, setting
from analysis._import.official.tree import listed

LARGEST = 1 << 21  # characters of a module that are read
MOST = 1 << 12  # blocks of which it is kept what they say
IsFile = Callable[[str], bool]
_CLASS = re.compile(r"\n(?:@.*\n)*class\b")  # and what decorates it
Class = tuple[str, tuple[str, ...], Settings]  # name, bases, settings of its own


class Modules:
    """The modules in `configs`, a submitter's folder; `is_file` says of a path whether it may be opened.

    Submitters copy each other's modules and add classes of their own, so a class is parsed once however many modules
    hold it.
    """

    partial = False

    def __init__(self, configs: Path | str, is_file: IsFile = os.path.isfile) -> None:
        self.configs, self.is_file = configs, is_file

    def classes(self, benchmark: str, scenario: str) -> Sequence[Definition]:
        """The classes of the benchmark, then those of its scenario."""
        folder = f"{self.configs}/{benchmark}"
        scenario_paths = (f"{folder}/{scenario}/{name}" for name in listed(f"{folder}/{scenario}", ".py"))
        paths = {f"{folder}/__init__.py": False} | dict.fromkeys(scenario_paths, True)
        return [
            Definition(path, of_scenario, *each)
            for path, of_scenario in paths.items()
            if self.is_file(path)
            for each in _read(_classes, ("class",), path)
        ]

    def fields(self, benchmark: str, scenario: str) -> Mapping[str, Sequence[Settings]]:
        """The dictionaries of each system, whose name is that of its folder."""
        paths = {system: f"{self.configs}/{system}/{scenario}/{benchmark}.py" for system in listed(str(self.configs))}
        return {system: _read(_dictionaries, SETTINGS, path) for system, path in paths.items() if self.is_file(path)}


def _read(parse: Callable[[str], tuple[Any, ...]], words: Iterable[str], path: str) -> tuple[Any, ...]:
    """What `parse` finds in the module at `path`, where one of `words` is; () for one not to be read, or no Python."""
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            text = file.read(LARGEST)
    except OSError:
        return ()
    if text.isascii() and not any(word in text for word in words):
        return ()  # Only in other scripts has a name two spellings.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # What Python thinks of a submitter's style is no matter of the import.
        parsed = [_in_block(parse, block) for block in _blocks(text)]
        if None in parsed:  # A string may have a line that begins like a class.
            return _in_block(parse, text) or ()
    return tuple(chain.from_iterable(parsed))


def _blocks(text: str) -> list[str]:
    """A module cut before each of its classes: where all parts are Python, they say together what it says."""
    cuts = [match.start() + 1 for match in _CLASS.finditer(text)]
    return [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]


@lru_cache(maxsize=MOST)
def _in_block(parse: Callable[[str], tuple[Any, ...]], text: str) -> tuple[Any, ...] | None:
    """What `parse` finds in some statements, None where they are no Python."""
    try:
        return parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _classes(text: str) -> tuple[Class, ...]:
    """The classes of some statements with their own settings."""
    return tuple(_class(node) for node in ast.parse(text).body if isinstance(node, ast.ClassDef))


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


def _dictionaries(text: str) -> tuple[Settings, ...]:
    """The settings of each dictionary in some statements that has some."""
    return tuple(settings for node in _nested(ast.parse(text).body) if (settings := _settings(node)))


def _nested(nodes: list[ast.AST]) -> Iterator[ast.Dict]:
    """Every dictionary in the nodes, at whatever depth."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Dict):
            yield node
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, ast.AST):
                waiting.append(part)
            elif isinstance(part, list):
                waiting += [each for each in part if isinstance(each, ast.AST)]


def _settings(node: ast.Dict) -> Settings:
    """The settings among the fields of a dictionary: a constant, or a member such as Precision.FP16."""
    settings: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if _last(key) in SETTINGS and (name := setting(ast.unparse(key))):
            constant = isinstance(value, ast.Constant)
            settings[name] = value.value if constant else ast.unparse(value).rpartition(".")[2]
    return settings


def _last(key: ast.expr | None) -> str:
    """The last name of a key such as model_fields.precision; "" for what is no name."""
    return key.attr if isinstance(key, ast.Attribute) else key.id if isinstance(key, ast.Name) else ""
