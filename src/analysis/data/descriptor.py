"""The data package's descriptor: which columns a table has, of what type, unit and range; no data rows belong here."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from analysis.core.paths import DATA

FILE = "datapackage.json"


class DescriptorError(ValueError):
    """datapackage.json cannot be read or misses what every table needs."""


@dataclass(frozen=True)
class Table:
    """One resource of the package: its file, columns, keys, pairs of low and high, and known traps.

    `imported_fields` are the columns that only rows of `analysis import` have, behind those of `fields`.
    """

    name: str
    path: str
    hash: str
    title: str
    description: str
    fields: list[dict[str, Any]]
    primary_key: list[str]
    foreign_keys: list[dict[str, Any]] = field(default_factory=list)
    intervals: list[list[str]] = field(default_factory=list)
    traps: list[str] = field(default_factory=list)
    imported_fields: list[dict[str, Any]] = field(default_factory=list)

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return [column["name"] for column in self.fields]


def read(folder: Path = DATA) -> dict[str, Table]:
    """Every table of the package by name. Raises DescriptorError naming the file and what is missing."""
    path = folder / FILE
    try:
        package = json.loads(path.read_text("utf-8"))
        return {resource["name"]: _table(resource) for resource in package["resources"]}
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise DescriptorError(f"{path.name}: cannot be read: {error}") from None
    except KeyError as error:
        raise DescriptorError(f"{path.name}: a resource or its schema has no {error}") from None
    except (TypeError, AttributeError):
        raise DescriptorError(f"{path.name}: is not a data package with a list of resources") from None


def _table(resource: dict[str, Any]) -> Table:
    schema = resource["schema"]
    return Table(
        name=resource["name"],
        path=resource["path"],
        hash=resource["hash"].removeprefix("sha256:"),
        title=resource["title"],
        description=resource["description"],
        fields=schema["fields"],
        primary_key=schema["primaryKey"],
        foreign_keys=schema.get("foreignKeys", []),
        intervals=schema.get("intervals", []),
        traps=resource.get("traps", []),
        imported_fields=schema.get("importedFields", []),
    )
