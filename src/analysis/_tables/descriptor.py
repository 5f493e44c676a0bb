"""The data package's descriptor: which columns a table has, of what type, unit and range."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from analysis._core.choices import choose
from analysis._core.file_contents import NotUtf8, utf8
from analysis._core.paths import DATA
from analysis._core.table_text import UnusableTable
from analysis._core.vocabulary import VOCABULARIES

FILE = "datapackage.json"
TYPES = ("string", "number", "integer", "boolean", "date")
RULES = ("required", "unique", "enum", "vocabulary", "minimum", "exclusiveMinimum", "maximum", "notAbove", "pattern")


class DescriptorError(UnusableTable):
    """datapackage.json cannot be read or misses what every table needs."""


@dataclass(frozen=True)
class Field:
    """One column: its type, its unit in words, what it means, and what a cell of it must be.

    `type` is one of TYPES. A cell is one of `choices` where there are some, lies from `minimum` to `maximum` and above
    `more_than`, and matches the regular expression `pattern`; only where it is `required` may it not be empty. It is no
    more than the cell of the column `not_above` in its row, where that is not empty.
    """

    name: str
    type: str
    unit: str = ""
    description: str = ""
    required: bool = False
    unique: bool = False
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    more_than: float | None = None
    maximum: float | None = None
    not_above: str = ""
    pattern: str = ""


@dataclass(frozen=True)
class Part:
    """One file of the official record: the rows of a round, and the files that they were made from.

    `sources` has, for each of these, its `file` with its `sha256`, the repository that it is of (`path`, an address)
    and the `commit` there. A clone has no hash: its commit, in full, is the digest of all that is in it. A `note` says
    how a file was obtained that could not be downloaded.
    """

    round: str
    path: str
    hash: str
    rows: int
    sources: list[dict[str, str]]


@dataclass(frozen=True)
class Table:
    """One resource of the package: its file, columns, keys, pairs of low and high, and known traps.

    `imported_fields` are the columns that only rows of the official record have, behind those of `fields`; `parts` are
    the files of that record that the project ships.
    """

    name: str
    path: str
    hash: str
    title: str
    description: str
    fields: list[Field]
    primary_key: list[str]
    foreign_keys: list[dict[str, Any]] = field(default_factory=list)
    intervals: list[list[str]] = field(default_factory=list)
    traps: list[str] = field(default_factory=list)
    imported_fields: list[Field] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.fields]


def read_tables(folder: Path = DATA) -> dict[str, Table]:
    """Every table of the package by name. Raises DescriptorError naming the file and what is missing."""
    path = folder / FILE
    try:
        package = json.loads(utf8(path.read_bytes()))
        return {resource["name"]: _table(resource) for resource in package["resources"]}
    except (OSError, json.JSONDecodeError, RecursionError) as error:
        raise DescriptorError(f"{path.name}: cannot be read: {error}") from None
    except NotUtf8 as error:
        raise DescriptorError(f"{path.name}, line {error.line}: {error}") from None
    except KeyError as error:
        raise DescriptorError(f"{path.name}: a resource or its schema has no {error}") from None
    except ValueError as error:
        raise DescriptorError(f"{path.name}: {error}") from None
    except (TypeError, AttributeError):
        raise DescriptorError(f"{path.name}: is not a data package with a list of resources") from None


def _table(resource: dict[str, Any]) -> Table:
    schema = resource["schema"]
    fields, imported = ([_field(field) for field in schema.get(name, [])] for name in ("fields", "importedFields"))
    names = [column.name for column in (*fields, *imported)]
    for column in (column for column in (*fields, *imported) if column.not_above):
        choose(column.not_above, names, f"notAbove of column {column.name}")
    return Table(
        name=resource["name"],
        path=resource["path"],
        hash=resource["hash"].removeprefix("sha256:"),
        title=resource["title"],
        description=resource["description"],
        fields=fields,
        primary_key=schema["primaryKey"],
        foreign_keys=schema.get("foreignKeys", []),
        intervals=schema.get("intervals", []),
        traps=resource.get("traps", []),
        imported_fields=imported,
        parts=[_part(part) for part in resource.get("parts", [])],
    )


def _part(raw: dict[str, Any]) -> Part:
    return Part(raw["round"], raw["path"], raw["hash"].removeprefix("sha256:"), raw["rows"], raw["sources"])


def _field(raw: dict[str, Any]) -> Field:
    """A column as described, with the words of the vocabulary that it names. Raises ValueError for unknown rules."""
    name, rules = raw["name"], dict(raw.get("constraints", {}))
    choose(raw["type"], TYPES, f"type of column {name}")
    for rule in rules:
        choose(rule, RULES, f"constraint of column {name}")
    choices = rules.pop("enum", ())
    if "vocabulary" in rules:
        choices = VOCABULARIES[choose(rules.pop("vocabulary"), VOCABULARIES, f"vocabulary of column {name}")]
    renamed = {"more_than": rules.pop("exclusiveMinimum", None), "not_above": rules.pop("notAbove", "")}
    words = raw["type"], raw.get("unit", ""), raw.get("description", "")
    return Field(name, *words, choices=tuple(choices), **renamed, **rules)
