"""Read the data package's descriptor data/datapackage.json, naming each wrong key, and update it from the tables.

`describe` writes hashes and sizes into it, and the column dictionary data/README.md from it.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import pyarrow.parquet as pq
from jinja2 import Environment
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from analysis.paths import DATA, parse_json, replacing

FILE = "datapackage.json"
REPOSITORY = "https://github.com/mlcommons/inference_results_"  # and the round
One = Annotated[list[str], Field(min_length=1, max_length=1)]
Pair = Annotated[list[str], Field(min_length=2, max_length=2)]
PAGE = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True).from_string("""\
# The data tables

Every figure of the reports comes from these tables. This page is made from `datapackage.json` by `analysis describe`;
edit the descriptor, not this page. `analysis check` holds every table to it.

A missing number is an empty cell. A quantity known as a range has two columns, `..._low` and `..._high`.
{% for table in resources %}

## {{ table.path }}

{{ table.title }}. {{ table.description }}

{% if table.schema_.primaryKey %}
Key: {{ table.schema_.primaryKey | join(", ") }}.

{% endif %}
{% if table.traps %}
Known traps:

{% for trap in table.traps %}
- {{ trap }}
{% endfor %}

{% endif %}
| column | type | unit | meaning |
|---|---|---|---|
{% for column in table.schema_.fields %}
{% set rules = column.constraints %}
{% set meaning %}
{{ column.description.rstrip(".") }}.
{%- if rules.enum %} One of: `{{ rules.enum | join("`, `") }}`.{% endif %}
{%- if rules.notAbove %} No more than `{{ rules.notAbove }}`.{% endif %}
{% endset %}
| `{{ column.name }}` | {{ column.type }}{{ ", required" if rules.required }} | {{ column.unit }} | \
{{ meaning | replace("|", "\\\\|") }} |
{% endfor %}
{% if table.parts %}

The official record as shipped, {{ "{:,}".format(table.parts | sum("rows")) }} rows in {{ table.parts | length }} files:

| file | rows | made from |
|---|---|---|
{% for part in table.parts %}
| `{{ part.path }}` | {{ "{:,}".format(part.rows) }} | \
{% for source in part.sources %}
`{{ source.file }}` of {{ source.path }}
{%- if source.commit %} at {{ source.commit[:8] }}{% endif %}
{%- if source.sha256 %} (SHA-256 {{ source.sha256[:12] }}...){% endif %}
{%- if source.note %}, {{ source.note }}{% endif %}
{{- "" if loop.last else "; " }}
{%- endfor %} |
{% endfor %}
{% endif %}
{% endfor %}
""")


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
            raise ValueError(f"is not a valid regular expression: {error}") from None
        return pattern


class Column(Strict):
    """One column of a table."""

    name: str = Field(min_length=1)
    type: Literal["string", "number", "integer", "boolean", "date", "year"]
    unit: str = "none"
    title: str = ""
    description: str = ""
    constraints: Constraints = Constraints()


class ForeignKeyTarget(Strict):
    """The column that a foreign key refers to; an empty resource is the table itself."""

    resource: str
    fields: One


class ForeignKey(Strict):
    """A column whose values are keys of another table."""

    fields: One
    reference: ForeignKeyTarget


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
            raise ValueError(f"has a duplicate column {again.pop()!r}")
        groups = [self.primaryKey, *self.intervals, *(key.fields for key in self.foreignKeys)]
        groups += [[column.constraints.notAbove] for column in self.fields if column.constraints.notAbove]
        if missing := [name for group in groups for name in group if name not in names]:
            raise ValueError(f"names {missing[0]!r}, which is not a column")
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
    readme: str = ""  # SHA-256 of the README.md last written by `describe`
    resources: list[Resource] = Field(min_length=1)

    @model_validator(mode="after")
    def _references(self) -> Self:
        tables = {resource.name: resource for resource in self.resources}
        if len(tables) < len(self.resources):
            raise ValueError("has two resources with the same name")
        for resource in self.resources:
            for key in resource.schema_.foreignKeys:
                name, column = key.reference.resource or resource.name, key.reference.fields[0]
                if name not in tables or column not in [each.name for each in tables[name].schema_.fields]:
                    words = f"{key.fields[0]} refers to {name}.{column}, which does not exist"
                    raise ValueError(f"resource {resource.name!r}: {words}")
        return self


class DescriptorError(ValueError):
    """Raised for an invalid descriptor. The message has one line per wrong key."""


def read_descriptor(folder: Path) -> Package:
    """Return the descriptor of a data folder. Raises DescriptorError."""
    try:
        return Package.model_validate(parse_json((folder / FILE).read_text("utf-8-sig")))
    except OSError as error:
        raise DescriptorError(f"{FILE}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DescriptorError(f"{FILE}: is not UTF-8: {error.reason} at byte {error.start}") from None
    except ValidationError as error:
        raise DescriptorError(
            "\n".join(f"{FILE}: {_where(fault['loc'], folder)}{fault['msg']}" for fault in error.errors())
        ) from None
    except (ValueError, RecursionError) as error:
        raise DescriptorError(f"{FILE}: cannot be read: {error}") from None


def describe(folder: Path = DATA, *, force: bool = False) -> list[str]:
    """Update both files and return the names of those that changed.

    Raises DescriptorError for an invalid descriptor, ValueError if README.md was edited since it was last written
    (unless `force`), and OSError if a file was saved in the meantime.
    """
    changed = []
    file, page = folder / FILE, folder / "README.md"
    with replacing(file) as new_file, replacing(page) as new_page:  # the page is replaced first: it has what made it
        last, before = read_descriptor(folder).readme, page.read_bytes() if page.is_file() else b""
        package = _measured(folder)
        text = PAGE.render(resources=Package.model_validate(package).resources).encode()
        package["readme"] = sha256(text)
        if not force and last and before and sha256(before) not in (last, package["readme"]):
            raise ValueError(f"{page}: edited since `analysis describe`; edit {FILE} instead, or --force replaces it")
        contents = json.dumps(package, indent=1, ensure_ascii=False).encode() + b"\n", text
        for old, new, content in zip((file, page), (new_file, new_page), contents, strict=True):
            if not old.is_file() or old.read_bytes() != content:
                new.write_bytes(content)
                changed.append(old.name)
    return changed


def readme(folder: Path = DATA) -> str:
    """Return the column dictionary as Markdown: each table's description, caveats, and columns with type and unit."""
    return PAGE.render(resources=read_descriptor(folder).resources)


def sha256(content: bytes) -> str:
    """Return the SHA-256 of a file's content as the descriptor writes it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _measured(folder: Path) -> dict[str, Any]:
    """Return the descriptor with the size, digest, and rows that each table has."""
    package = parse_json((folder / FILE).read_text("utf-8-sig"))
    for resource in package["resources"]:
        table = (folder / resource["path"]).read_bytes()
        resource.update(bytes=len(table), hash=sha256(table))
        if resource.get("parts"):
            resource["parts"] += _new_parts(folder, {part["path"] for part in resource["parts"]})
        for part in resource.get("parts", []):
            file = folder / part["path"]
            part.update(rows=pq.read_metadata(file).num_rows, bytes=file.stat().st_size, hash=sha256(file.read_bytes()))
    return package


def _new_parts(folder: Path, described: set[str]) -> list[dict[str, Any]]:
    """Return a part for each round in data/official/, but for a user's own imports, that the descriptor lacks."""
    files = [file for file in sorted(folder.glob("official/v*.parquet")) if not file.stem.endswith("-own")]
    with (folder / "rounds.csv").open(encoding="utf-8", newline="") as rounds:
        digests = {row["round"]: row["summary_sha256"] for row in csv.DictReader(rounds)}
    return [
        {
            "round": file.stem,
            "path": path,
            "sources": [{"file": "summary.json", "path": REPOSITORY + file.stem, "sha256": digests.get(file.stem, "")}],
        }
        for file in files
        if (path := f"official/{file.name}") not in described
    ]


def _where(place: tuple[int | str, ...], folder: Path) -> str:
    """Return a key in words, resources and columns by their names: "resource prices, schema.fields.usd.type: "."""
    if not place:
        return ""
    content, words = parse_json((folder / FILE).read_text("utf-8-sig")), []
    for step in place:
        try:
            content = content[step]
        except (KeyError, IndexError, TypeError):
            content = None
        name = content.get("name") if isinstance(content, dict) and isinstance(step, int) else None
        words.append(name if isinstance(name, str) else str(step))
    return f"key {'.'.join(words)}: "
