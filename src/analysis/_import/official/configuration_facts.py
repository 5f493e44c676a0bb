"""Submitters' configurations from a CSV file of facts on them, for trees that come without the modules themselves.

A row is one setting that a module of `<division>/<submitter>/configs/` holds: the round, the module's `file`, the class
that sets it (`name`, with its `bases` and its own `system`; all three empty where a dictionary of fields does), and
`key` and `value` as the module writes them. Nothing is resolved: a class without a setting has no row.
"""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from analysis._core import vocabulary
from analysis._core.vocabulary import DIVISIONS, PRECISIONS
from analysis._import.official.configuration import FLAGS, LIMIT, PRECISION, Definition, Settings, is_limit, setting
from analysis._import.official.entry import EntryError
from analysis._tables import rules
from analysis._tables.descriptor import Field

COLUMNS = (
    Field("round", "string", required=True, pattern=r"v\d+\.\d+$"),
    Field("division", "string", required=True, choices=DIVISIONS),
    Field("submitter", "string", required=True, pattern=r"[^/\s][^/]*$"),
    Field("file", "string", required=True, pattern=r"\w+/[^/]+/configs/[^/]+(/[^/]+)*\.py$"),
    Field("name", "string", pattern=r"[^\W\d]\w*$"),
    Field("bases", "string", pattern=r"[\w ]+$"),
    Field("system", "string", pattern=r"[\w.]+$"),
    Field("key", "string", required=True),
    Field("value", "string", required=True),
)
HEADER = [column.name for column in COLUMNS]
Submitter = tuple[str, str, str]  # round, division, submitter
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
    """Whether a file is meant to be one of facts: by its name."""
    return path.suffix.lower() == ".csv"


def read(path: Path) -> list[Fact]:
    """The facts of a file, those of other settings than SETTINGS left out. Raises EntryError at the first wrong row."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, strict=True)
            if rows.fieldnames != HEADER:
                found = ", ".join(rows.fieldnames or [])[:200]
                raise EntryError(f"row 1: has the columns {found}, expected {', '.join(HEADER)}")
            checks = rules.checks(list(COLUMNS))
            return [fact for row in rows if (fact := _fact(row, rows.line_num, checks))]
    except OSError as error:
        raise EntryError(f"cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise EntryError(f"is no CSV in UTF-8 ({error})") from None


def by_submitter(facts: Iterable[Fact]) -> dict[Submitter, Facts]:
    """What the facts say, for each submitter of a round and division."""
    out: dict[Submitter, Facts] = {}
    classes: dict[tuple, dict[str, Any]] = {}
    for fact in facts:
        submitted = out.setdefault(fact.submitter, Facts())
        if not fact.name:
            system, scenario, module = fact.place
            written = submitted.written.setdefault((module.removesuffix(".py"), scenario), {}).setdefault(system, {})
            written.setdefault(fact.setting, []).append(fact.value)
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


def _apart(values: Mapping[str, list[Any]]) -> list[Settings]:
    """The dictionaries of a module, as far as the facts tell them apart: a flag is of those with starting weights."""
    flags = {flag: True for flag in FLAGS if True in values.get(flag, ())}
    starting = {name for name, precision in PRECISIONS.items() if precision.starting}
    precisions = [
        {PRECISION: value} | (flags if vocabulary.precision(str(value)) in starting else {})
        for value in values.get(PRECISION, ())
    ]
    return [*(precisions or [flags]), *({LIMIT: value} for value in values.get(LIMIT, ()))]


def _fact(row: dict[str, str], number: int, checks: Mapping[str, rules.RowCheck]) -> Fact | None:
    """The fact of a row; None for a setting or a module that no run is asked for. Raises EntryError."""
    folder = f"{row['division']}/{row['submitter']}/configs/"
    faults = rules.row_faults(row, checks)
    if None in row:
        faults.append(f"has more cells than the columns {', '.join(HEADER)}")
    if not str(row["file"]).startswith(folder):
        faults.append(f"file {row['file']!r} is not below {folder}")
    if faults:
        raise EntryError(f"row {number}: {'; '.join(faults)}")
    name, place = setting(row["key"]), tuple(row["file"].removeprefix(folder).split("/"))
    is_asked = len(place) == 3 or (row["name"] and place[1:] == ("__init__.py",))
    if not name or not is_asked:
        return None
    submitter = row["round"], row["division"], row["submitter"]
    value = _value(row["value"], name, number)
    return Fact(submitter, place, row["name"], tuple(row["bases"].split()), row["system"], name, value)


def _value(text: str, name: str, number: int) -> Any:
    """The value of a setting: a constant of Python, or the member that is named, such as FP16 of Precision.FP16."""
    if name == PRECISION and _MEMBER.fullmatch(text):
        return text.rpartition(".")[2]
    value = None
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        value = ast.literal_eval(text)
    is_valid = is_limit(value) if name == LIMIT else isinstance(value, str if name == PRECISION else bool)
    if not is_valid:
        expected = {LIMIT: "watts", PRECISION: "a precision in quotes, or a member such as Precision.FP16"}
        raise EntryError(f"row {number}: value {text!r} of {name} is not {expected.get(name, 'True or False')}")
    return value
