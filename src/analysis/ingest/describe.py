"""Bring the hashes and sizes in data/datapackage.json, and the column dictionary data/README.md, up to the tables."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq

from analysis.ingest import descriptor
from analysis.ingest.check import sha256
from analysis.ingest.descriptor import Column, Resource
from analysis.paths import DATA, replacing

HEAD = """# The data tables

Every figure of the reports comes from these tables. This page is made from `datapackage.json` by `analysis describe`;
edit the descriptor, not this page. `analysis check` holds every table to it.

A missing number is an empty cell. A quantity known as a range has two columns, `..._low` and `..._high`.
"""
COLUMNS = "| column | type | unit | meaning |\n|---|---|---|---|\n"


def describe(folder: Path = DATA) -> list[str]:
    """Update both files and return the names of those that changed. Raises DescriptorError or OSError."""
    descriptor.read(folder)
    path = folder / descriptor.FILE
    package = json.loads(path.read_text("utf-8-sig"))
    for resource in package["resources"]:
        table = folder / resource["path"]
        resource.update(bytes=table.stat().st_size, hash=sha256(table))
        for part in resource.get("parts", []):
            file = folder / part["path"]
            part.update(rows=pq.read_metadata(file).num_rows, bytes=file.stat().st_size, hash=sha256(file))
    written = {path: json.dumps(package, indent=1, ensure_ascii=False) + "\n"}
    changed = [path.name] * _write(path, written[path])
    return changed + ["README.md"] * _write(folder / "README.md", readme(folder))


def readme(folder: Path = DATA) -> str:
    """Return the column dictionary as Markdown: each table's description, traps, and columns with type and unit."""
    return HEAD + "".join(map(_section, descriptor.read(folder).resources))


def _section(table: Resource) -> str:
    text = f"\n## {table.path}\n\n{table.title}. {table.description}\n\n"
    text += f"Key: {', '.join(table.schema_.primaryKey)}.\n\n" if table.schema_.primaryKey else ""
    if table.traps:
        text += "Known traps:\n\n" + "".join(f"- {trap}\n" for trap in table.traps) + "\n"
    text += COLUMNS + "".join(map(_row, table.schema_.fields))
    if table.parts:
        rows = sum(part.rows for part in table.parts)
        text += f"\nThe official record as shipped, {rows:,} rows in {len(table.parts)} files:\n\n"
        text += "| file | rows | made from |\n|---|---|---|\n"
        for part in table.parts:
            sources = [
                f"`{source.file}` of {source.path} at {source.commit[:8]}"
                + (f" (SHA-256 {source.sha256[:12]}...)" if source.sha256 else "")
                + (f", {source.note}" if source.note else "")
                for source in part.sources
            ]
            text += f"| `{part.path}` | {part.rows:,} | {'; '.join(sources)} |\n"
    return text


def _row(column: Column) -> str:
    rules = column.constraints
    choices = f" One of: {', '.join(f'`{choice}`' for choice in rules.enum)}." if rules.enum else ""
    most = f" No more than `{rules.notAbove}`." if rules.notAbove else ""
    meaning = (column.description.rstrip(".") + "." + choices + most).replace("|", "\\|")
    return f"| `{column.name}` | {column.type}{', required' if rules.required else ''} | {column.unit} | {meaning} |\n"


def _write(path: Path, text: str) -> bool:
    """Write a file where its text is another, beside it first and then renamed; return whether it was."""
    if path.is_file() and path.read_text("utf-8") == text:
        return False
    with replacing(path) as beside:
        beside.write_text(text, "utf-8")
    return True
