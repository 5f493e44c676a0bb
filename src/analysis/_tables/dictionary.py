"""The column dictionary data/README.md and the hashes in datapackage.json, made from what is there."""

from __future__ import annotations

import json
from pathlib import Path

from analysis._core.file_contents import sha256_of, write_whole
from analysis._core.paths import DATA
from analysis._tables import descriptor
from analysis._tables.descriptor import Field, Table

INTRODUCTION = """# The data tables

Every figure of the reports comes from these tables. This page is made from `datapackage.json` by `analysis describe`;
edit the descriptor, not this page. `analysis check` holds every table to it.

A missing number is an empty cell. A quantity known as a range stands in two columns, `..._low` and `..._high`.
"""


def describe(folder: Path = DATA) -> list[str]:
    """Bring hashes and README up to the tables; returns the names of the files that changed.

    Written aside and renamed. Raises DescriptorError or OSError where a file cannot be read.
    """
    path = folder / descriptor.FILE
    descriptor.read_tables(folder)
    package = json.loads(path.read_text("utf-8"))
    for resource in package["resources"]:
        table = folder / resource["path"]
        resource.update(bytes=table.stat().st_size, hash=f"sha256:{sha256_of(table)}")
        for part in resource.get("parts", []):
            part.update(_measured(folder / part["path"]))
    changed = _write(path, json.dumps(package, indent=1, ensure_ascii=False) + "\n")
    return [name for name in (changed, _write(folder / "README.md", readme(folder))) if name]


def _measured(path: Path) -> dict[str, int | str]:
    """What the descriptor says of a part's file: rows, bytes and hash."""
    import pyarrow.parquet as pq

    rows = pq.read_metadata(path).num_rows
    return {"rows": rows, "bytes": path.stat().st_size, "hash": f"sha256:{sha256_of(path)}"}


def readme(folder: Path = DATA) -> str:
    """The column dictionary as Markdown: per table its description, traps, and each column with type and unit."""
    return "\n".join([INTRODUCTION, *(_section(table) for table in descriptor.read_tables(folder).values())])


def _section(table: Table) -> str:
    traps = [f"- {trap}" for trap in table.traps]
    head = [
        f"## {table.path}",
        "",
        f"{table.title}. {table.description}",
        "",
        f"Key: {', '.join(table.primary_key)}.",
        "",
    ]
    body = ["| column | type | unit | meaning |", "|---|---|---|---|", *(_row(field) for field in table.fields), ""]
    return "\n".join([*head, *(["Known traps:", "", *traps, ""] if traps else []), *body, *_imported(table)])


def _imported(table: Table) -> list[str]:
    if not table.imported_fields:
        return []
    head = [
        "Rows of `data/official/` have these columns too:",
        "",
        "| column | type | unit | meaning |",
        "|---|---|---|---|",
    ]
    return [*head, *(_row(field) for field in table.imported_fields), "", *_parts(table)]


def _parts(table: Table) -> list[str]:
    """The files of the official record, each with what it was made from."""
    if not table.parts:
        return []
    total = f"{sum(part.rows for part in table.parts):,} rows in {len(table.parts)} files"
    head = [f"The official record as shipped, {total}:", "", "| file | rows | made from |", "|---|---|---|"]
    made = [f"| `{part.path}` | {part.rows:,} | {'; '.join(map(_source, part.sources))} |" for part in table.parts]
    return [*head, *made, ""]


def _source(source: dict[str, str]) -> str:
    digest = f" (SHA-256 {source['sha256'][:12]}...)" if "sha256" in source else ""
    note = f", {source['note']}" if source.get("note") else ""
    return f"`{source['file']}` of {source['path']} at {source['commit'][:8]}{digest}{note}"


def _row(field: Field) -> str:
    choices = f" One of: {', '.join(f'`{choice}`' for choice in field.choices)}." if field.choices else ""
    most = f" No more than `{field.not_above}`." if field.not_above else ""
    words = (field.description.rstrip(".") + "." + choices + most).replace("|", "\\|")
    kind = f"{field.type}, required" if field.required else field.type
    return f"| `{field.name}` | {kind} | {field.unit} | {words} |"


def _write(path: Path, text: str) -> str:
    """The name of the file where its text was another, else ""."""
    if path.is_file() and path.read_text("utf-8") == text:
        return ""
    write_whole(path, text)
    return path.name
