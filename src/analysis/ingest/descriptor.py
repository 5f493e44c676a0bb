"""The data package's descriptor data/datapackage.json as it must be: each wrong key is named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

FILE = "datapackage.json"
One = Annotated[list[str], Field(min_length=1, max_length=1)]
Pair = Annotated[list[str], Field(min_length=2, max_length=2)]


class Strict(BaseModel):
    """Forbid unknown keys."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Constraints(Strict):
    """Rules for cells of a column. `notAbove` names a column that the cell may not exceed."""

    required: bool = False
    unique: bool = False
    enum: list[str] = []
    minimum: float | None = None
    exclusiveMinimum: float | None = None
    maximum: float | None = None
    notAbove: str = ""
    pattern: str = ""

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"is no regular expression: {error}") from None
        return pattern


class Column(Strict):
    """One column of a table."""

    name: str = Field(min_length=1)
    type: Literal["string", "number", "integer", "boolean", "date", "year"]
    unit: str = "none"
    title: str = ""
    description: str = ""
    constraints: Constraints = Constraints()


class Reference(Strict):
    """The column that a foreign key refers to; an empty resource is the table itself."""

    resource: str
    fields: One


class ForeignKey(Strict):
    """A column whose values are keys of another table."""

    fields: One
    reference: Reference


class Schema(Strict):
    """The columns of a table, its keys, and its pairs of a low and a high column."""

    fields: list[Column] = Field(min_length=1)
    primaryKey: list[str] = []
    foreignKeys: list[ForeignKey] = []
    intervals: list[Pair] = []

    @model_validator(mode="after")
    def _names(self) -> Self:
        names = [column.name for column in self.fields]
        if again := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"has the column {again.pop()!r} twice")
        groups = [self.primaryKey, *self.intervals, *(key.fields for key in self.foreignKeys)]
        groups += [[column.constraints.notAbove] for column in self.fields if column.constraints.notAbove]
        if missing := [name for group in groups for name in group if name not in names]:
            raise ValueError(f"names {missing[0]!r}, which is no column")
        return self


class Source(BaseModel):
    """Where a table's values are from, in words or as a file of a repository."""

    model_config = ConfigDict(extra="allow", strict=True)

    title: str = ""
    file: str = ""
    path: str = ""
    commit: str = ""
    sha256: str = ""
    note: str = ""


class Part(Strict):
    """One file of the official record: the rows of a round."""

    round: str = Field(pattern=r"^v\d+\.\d+$")
    path: str = Field(pattern=r"^official/[\w.-]+\.parquet$")
    rows: int = Field(ge=0)
    bytes: int = 0
    hash: str
    sources: list[Source] = Field(min_length=1)


class Resource(Strict):
    """One table of the package."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    path: str = Field(pattern=r"^[\w./-]+\.(csv|parquet)$")
    title: str
    description: str
    format: Literal["csv", "parquet"] = "csv"
    mediatype: str = ""
    encoding: str = "utf-8"
    bytes: int = 0
    hash: str = ""
    traps: list[str] = []
    sources: list[Source] = []
    licenses: list[dict[str, str]] = []
    schema_: Schema = Field(alias="schema")
    parts: list[Part] = []


class Package(BaseModel):
    """The whole descriptor."""

    model_config = ConfigDict(extra="allow", strict=True)

    name: str
    resources: list[Resource] = Field(min_length=1)

    @model_validator(mode="after")
    def _references(self) -> Self:
        tables = {resource.name: resource for resource in self.resources}
        if len(tables) < len(self.resources):
            raise ValueError("has two resources of one name")
        for resource in self.resources:
            for key in resource.schema_.foreignKeys:
                name, column = key.reference.resource or resource.name, key.reference.fields[0]
                if name not in tables or column not in [each.name for each in tables[name].schema_.fields]:
                    words = f"{key.fields[0]} refers to {name}.{column}, which is not there"
                    raise ValueError(f"resource {resource.name!r}: {words}")
        return self


class DescriptorError(ValueError):
    """The descriptor cannot be used. The message has a line for each wrong key."""


def read(folder: Path) -> Package:
    """Return the descriptor of a data folder. Raises DescriptorError."""
    try:
        return Package.model_validate_json((folder / FILE).read_text("utf-8-sig"))
    except OSError as error:
        raise DescriptorError(f"{FILE}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DescriptorError(f"{FILE}: is not UTF-8: {error.reason} at byte {error.start}") from None
    except ValidationError as error:
        raise DescriptorError(
            "\n".join(f"{FILE}: {_where(fault['loc'], folder)}{fault['msg']}" for fault in error.errors())
        ) from None


def _where(place: tuple[int | str, ...], folder: Path) -> str:
    """Return a key in words, resources and columns by their names: "resource prices, schema.fields.usd.type: "."""
    if not place:
        return ""
    content, words = json.loads((folder / FILE).read_text("utf-8-sig")), []
    for step in place:
        try:
            content = content[step]
        except (KeyError, IndexError, TypeError):
            content = None
        name = content.get("name") if isinstance(content, dict) and isinstance(step, int) else None
        words.append(name if isinstance(name, str) else str(step))
    return f"key {'.'.join(words)}: "
