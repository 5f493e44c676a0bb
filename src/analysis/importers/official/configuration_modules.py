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

from analysis.importers.official.configuration import SETTINGS, Definition, Settings, setting
from analysis.importers.official.tree import listed

LARGEST = 1 << 21  # characters of a module that are read
MOST = 1 << 12  # blocks of which it is kept what they say
There = Callable[[str], bool]
_CLASS = re.compile(r"\n(?:@.*\n)*class\b")  # and what decorates it
Class = tuple[str, tuple[str, ...], Settings]  # name, bases, settings of its own


class Modules:
    """The modules in `configs`, a submitter's folder; `there` says of a path whether it is a file to be opened.

    Submitters copy each other's modules and add classes of their own, so a class is parsed once however many modules
    hold it.
    """

    partial = False

    def __init__(self, configs: Path | str, there: There = os.path.isfile) -> None:
        self.configs, self.there = configs, there

    def classes(self, benchmark: str, scenario: str) -> Sequence[Definition]:
        """The classes of the benchmark, then those of its scenario."""
        folder = f"{self.configs}/{benchmark}"
        own = (f"{folder}/{scenario}/{name}" for name in listed(f"{folder}/{scenario}", ".py"))
        paths = {f"{folder}/__init__.py": False} | dict.fromkeys(own, True)
        return [
            Definition(path, own, *each)
            for path, own in paths.items()
            if self.there(path)
            for each in _known(_classes, ("class",), path)
        ]

    def fields(self, benchmark: str, scenario: str) -> Mapping[str, Sequence[Settings]]:
        """The dictionaries of each system, whose name is that of its folder."""
        paths = {system: f"{self.configs}/{system}/{scenario}/{benchmark}.py" for system in listed(str(self.configs))}
        return {system: _known(_dictionaries, SETTINGS, path) for system, path in paths.items() if self.there(path)}


def _known(said: Callable[[str], tuple[Any, ...]], words: Iterable[str], path: str) -> tuple[Any, ...]:
    """What `said` finds in the module at `path`, where one of `words` is; () for one not to be read, or no Python."""
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            text = file.read(LARGEST)
    except OSError:
        return ()
    if text.isascii() and not any(word in text for word in words):
        return ()  # Only in other scripts has a name two spellings.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # What Python thinks of a submitter's style is no matter of the import.
        found = [_in_block(said, block) for block in _blocks(text)]
        if None in found:  # A string may have a line that begins like a class.
            return _in_block(said, text) or ()
    return tuple(chain.from_iterable(found))


def _blocks(text: str) -> list[str]:
    """A module cut before each of its classes: where all parts are Python, they say together what it says."""
    cuts = [match.start() + 1 for match in _CLASS.finditer(text)]
    return [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]


@lru_cache(maxsize=MOST)
def _in_block(said: Callable[[str], tuple[Any, ...]], text: str) -> tuple[Any, ...] | None:
    """What `said` finds in some statements, None where they are no Python."""
    try:
        return said(text)
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
    found: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if _last(key) in SETTINGS and (name := setting(ast.unparse(key))):
            constant = isinstance(value, ast.Constant)
            found[name] = value.value if constant else ast.unparse(value).rpartition(".")[2]
    return found


def _last(key: ast.expr | None) -> str:
    """The last name of a key such as model_fields.precision; "" for what is no name."""
    return key.attr if isinstance(key, ast.Attribute) else key.id if isinstance(key, ast.Name) else ""
