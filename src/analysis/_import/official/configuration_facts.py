"""Submitters' configurations from a CSV file of facts on them, for trees that come without the modules themselves.

A row is one setting that a module of `<division>/<submitter>/configs/` holds: the round, the module's `file`, the class
that sets it (`name`, with its `bases` and its own `system`; all three empty where a dictionary of fields does), and
`key` and `value` as the module writes them. Nothing is resolved: a class without a setting has no row.
"""

from __future__ import annotations

import ast
import csv
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from analysis._core import file_contents, vocabulary
from analysis._core.vocabulary import DIVISIONS, PRECISIONS
from analysis._import.official.configuration import (
    FLAGS,
    HOTTEST,
    LIMIT,
    PRECISION,
    Definition,
    Settings,
    is_limit,
    setting,
)
from analysis._import.official.entry import EntryError

HEADER = ("round", "division", "submitter", "file", "name", "bases", "system", "key", "value")
LARGEST = 1 << 26  # bytes of a file
LONGEST = 200  # characters of a value
Submitter = tuple[str, str, str]  # round, division, submitter
_NAMES = {  # column -> what a cell of it is, in a pattern and in words
    "round": (r"v\d+\.\d+", "a round such as v4.1"),
    "division": ("|".join(DIVISIONS), f"one of {', '.join(DIVISIONS)}"),
    "submitter": (r"[^/\s][^/]*", "the folder of a submitter"),
    "name": (r"[^\W\d]\w*|", "the name of a class, or nothing"),
    "bases": (r"(?:[^\W\d]\w*)?(?: [^\W\d]\w*)*", "names of classes, with a blank between two"),
    "system": (r"(?:[\w.]+)?", "a system such as KnownSystem.L40Sx8, or nothing"),
    "key": (r"\S.*", "the name of a setting"),
}
_MEMBER = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")


class Fact(NamedTuple):
    """One row whose setting counts: where it stands, and its value."""

    submitter: Submitter
    place: tuple[str, ...]  # the parts of the module's path below `configs`
    name: str
    bases: tuple[str, ...]
    system: str
    setting: str
    value: Any


@dataclass(eq=False)
class Facts:
    """What the facts say of one submitter's configuration (see configuration.Said)."""

    defined: dict[tuple[str, str], list[Definition]] = field(default_factory=dict)
    written: dict[tuple[str, str], dict[str, dict[str, list[Any]]]] = field(default_factory=dict)
    partial: bool = True

    def classes(self, benchmark: str, scenario: str) -> Sequence[Definition]:
        """The classes of the benchmark, then those of its scenario."""
        return [*self.defined.get((benchmark, ""), ()), *self.defined.get((benchmark, scenario), ())]

    def fields(self, benchmark: str, scenario: str) -> Mapping[str, Sequence[Settings]]:
        """The dictionaries of each system."""
        return {system: _apart(values) for system, values in self.written.get((benchmark, scenario), {}).items()}


def is_meant(path: Path) -> bool:
    """Whether a path is meant to be such a file: by its header, or by its name; only a plain file is opened."""
    return path.is_file() and (path.suffix.lower() == ".csv" or _header(path) == list(HEADER))


def read(path: Path) -> list[Fact]:
    """The facts of a file, those of other settings than SETTINGS left out. Raises EntryError at the first wrong row."""
    if path.stat().st_size > LARGEST:
        raise EntryError(f"is larger than {LARGEST:,} bytes")
    if fault := file_contents.foreign(_start(path)):
        raise EntryError(fault)
    if (header := _header(path)) != list(HEADER):
        raise EntryError(f"row 1: has the columns {', '.join(header)[:LONGEST]}, expected {', '.join(HEADER)}")
    facts, number = [], 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            next(rows)
            for row in rows:
                number = rows.line_num
                if fact := _fact(row, number):
                    facts.append(fact)
    except OSError as error:
        raise EntryError(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise EntryError(f"behind row {number}: is no text in UTF-8") from None
    except csv.Error as error:
        raise EntryError(f"behind row {number}: is no CSV ({error})") from None
    return facts


def by_submitter(facts: Iterable[Fact]) -> dict[Submitter, Facts]:
    """What the facts say, for each submitter of a round and division."""
    out: dict[Submitter, Facts] = {}
    classes: dict[tuple, dict[str, Any]] = {}
    for fact in facts:
        submitted = out.setdefault(fact.submitter, Facts())
        if not fact.name:
            system, scenario, module = fact.place
            written = submitted.written.setdefault((module.removesuffix(".py"), scenario), {}).setdefault(system, {})
            values = written.setdefault(fact.setting, [])
            if fact.value not in values:
                values.append(fact.value)
            continue
        key = fact[:5]
        if key not in classes:
            classes[key] = {"system": fact.system} if fact.system else {}
            scenario = fact.place[1] if len(fact.place) == 3 else ""
            definition = Definition("/".join(fact.place), bool(scenario), fact.name, fact.bases, classes[key])
            submitted.defined.setdefault((fact.place[0], scenario), []).append(definition)
        classes[key][fact.setting] = fact.value
    for submitted in out.values():
        for definitions in submitted.defined.values():
            definitions.sort(key=lambda each: each.place)
    return out


def _header(path: Path) -> list[str]:
    return _start(path).decode("utf-8-sig", "replace").rstrip("\r\n").split(",")


def _start(path: Path) -> bytes:
    """The first line of a file as it is; nothing of one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.readline(LONGEST)
    except OSError:
        return b""


def _apart(values: Mapping[str, list[Any]]) -> list[Settings]:
    """The dictionaries of a module, as far as the facts tell them apart: a flag is of those with starting weights."""
    flags = {flag: True for flag in FLAGS if True in values.get(flag, ())}
    starting = {name for name, precision in PRECISIONS.items() if precision.starting}
    precisions = [
        {PRECISION: value} | (flags if vocabulary.precision(str(value)) in starting else {})
        for value in values.get(PRECISION, ())
    ]
    return [*(precisions or [flags]), *({LIMIT: value} for value in values.get(LIMIT, ()))]


def _fact(row: list[str], number: int) -> Fact | None:
    """The fact of a row; None for a setting or a module that no run is asked for. Raises EntryError."""
    if len(row) != len(HEADER):
        raise EntryError(f"row {number}: has {len(row)} cells, expected {len(HEADER)}: {', '.join(HEADER)}")
    cells = dict(zip(HEADER, row, strict=True))
    for column, (pattern, expected) in _NAMES.items():
        if not _matches(pattern, cells[column]):
            raise _wrong(number, column, cells[column], expected)
    folder = f"{cells['division']}/{cells['submitter']}/configs/"
    place = tuple(cells["file"].removeprefix(folder).split("/"))
    if not cells["file"].startswith(folder) or not cells["file"].endswith(".py") or {"", ".", ".."} & set(place):
        raise _wrong(number, "file", cells["file"], f"a module such as {folder}bert/Offline/__init__.py")
    name = setting(cells["key"])
    value = _value(cells["value"], name, number)
    is_asked = len(place) == 3 or (cells["name"] and place[1:] == ("__init__.py",))
    if not name or not is_asked:
        return None
    submitter = cells["round"], cells["division"], cells["submitter"]
    return Fact(submitter, place, cells["name"], tuple(cells["bases"].split()), cells["system"], name, value)


@lru_cache(maxsize=4096)
def _matches(pattern: str, cell: str) -> bool:
    return bool(re.fullmatch(pattern, cell))


def _value(text: str, name: str, number: int) -> Any:
    """The value of a setting: a constant of Python, or the member that is named, such as FP16 of Precision.FP16."""
    if _MEMBER.fullmatch(text):
        return text.rpartition(".")[2]
    value = None
    with warnings.catch_warnings(), suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")
        value = ast.literal_eval(text) if len(text) <= LONGEST else None
    is_valid, expected = {
        LIMIT: (is_limit(value), f"watts above 0 and below {HOTTEST:g}"),
        PRECISION: (isinstance(value, str), "a precision in quotes, or a member such as Precision.FP16"),
        "": (value is not None, "a constant of Python, or a member such as Precision.FP16"),
    }.get(name, (isinstance(value, bool), "True or False"))
    if not is_valid:
        raise _wrong(number, "value", text, expected)
    return value


def _wrong(number: int, column: str, cell: str, expected: str) -> EntryError:
    shown = cell if len(cell) <= LONGEST else f"{cell[:LONGEST]}..."
    return EntryError(f"row {number}, column {column}: {shown!r} is not {expected}")
